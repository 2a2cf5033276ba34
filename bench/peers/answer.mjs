// How the scripts here talk to bench_peers: a line comes in, such as "append 100"; the nanoseconds
// that the work took go out, or what it has to say.
import { createInterface } from 'node:readline';

export async function answer(work) {
        for await (const line of createInterface({ input: process.stdin })) {
                const [name, argument] = line.split(' ');
                const start = process.hrtime.bigint();
                const said = await work[name](argument);
                const ns = process.hrtime.bigint() - start;
                process.stdout.write(`${said ?? ns}\n`);
        }
}

// What is kept of a step: as many bytes as a StepCheckpointed of two scopes has.
const hash = 'a'.repeat(64);
export const payload = (token) => ({
        cursor: 'pre_generation_gate', input_hash: hash, input_hash_alg: 'jcs-sha256',
        retry_token: token, strictness: 'medium',
        scope_refs: [{ scope: 'team_domain', version_id: hash }, { scope: 'core', version_id: hash }],
});
