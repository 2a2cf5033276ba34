// The work that every system here is given: three steps, of which the second waits until it is told to go on. What
// was really done is in the files of the working directory: "ran" has a line for each execution of a step, by whom.
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export const me = process.argv[4];

export async function step(name) {
        appendFileSync('ran', `${name} ${me}\n`);
        while (name === 'slow' && !existsSync(`go-${me}`))
                await sleep(50);
        return me;
}

// What a worker that goes on says of the end of its execution.
export const say = (what) => appendFileSync('said', `${me}: ${what}\n`);
