// Absurd: `node absurd.mjs URL work NAME` is a worker of the queue, with a lease of 4 s; `submit` puts a task in line;
// `result` says what is recorded; `steps` times steps for bench_fleet_peers.
import { Absurd } from 'absurd-sdk';
import pg from 'pg';
import { answer } from './answer.mjs';
import { me, say, step } from './scene.mjs';

const [, , url, mode] = process.argv;
const silent = { log() {}, info() {}, warn() {}, error() {} };
const pool = new pg.Pool({ connectionString: url });
const app = new Absurd({ db: pool, queueName: mode === 'steps' ? `steps_${process.pid}` : 'line', log: silent });
app.registerTask({ name: 'flow' }, async (params, ctx) => {
        try {
                for (const name of ['before', 'slow', 'after'])
                        await ctx.step(name, () => step(name));
        } catch (error) {
                say(error.message);
                throw error;
        }
        return me;
});
let done;
app.registerTask({ name: 'many' }, async ({ n }, ctx) => {
        for (let i = 0; i < n; i++)
                await ctx.step(`step-${i}`, async () => 'done');
        done();
});
async function steps(n) {
        const ended = new Promise((resolve) => { done = resolve; });
        await app.spawn('many', { n });
        await app.workBatch('bench', 60, 1);
        await ended;
}
await app.createQueue();
switch (mode) {
case 'submit':
        await app.spawn('flow', {});
        break;
case 'result': {
        const { rows } = await pool.query('SELECT checkpoint_name AS name, state FROM absurd.c_line ORDER BY updated_at');
        console.log(JSON.stringify({ steps: rows.map((s) => `${s.name} ${s.state}`) }));
        break;
}
case 'steps':
        await steps(10);
        await answer({ settings: () => 'ready', steps: (n) => steps(Number(n)) });
        break;
default:
        await app.startWorker({ workerId: me, claimTimeout: 4, pollInterval: 0.1, fatalOnLeaseTimeout: false });
        process.on('SIGTERM', () => process.exit(0));
        await new Promise(() => {});
}
await app.close();
await pool.end();
