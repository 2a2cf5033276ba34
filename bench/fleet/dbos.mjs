// DBOS: `node dbos.mjs URL work NAME` is a worker of the queue, which first takes back what its executor left
// unfinished, as a process that is started again does; `submit` puts a workflow in line; `result` says what is recorded;
// `steps` times steps for bench_fleet_peers and bench_steps.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import { answer } from './answer.mjs';
import { me, say, step } from './scene.mjs';

const [, , url, mode] = process.argv;
const ID = 'the-run';
if (mode === 'submit' || mode === 'result') { // not as the executor, which would take the workflow back
        await DBOS.migrate(url);
        const client = await DBOSClient.create({ systemDatabaseUrl: url });
        if (mode === 'submit') {
                await client.registerQueue('line');
                await client.enqueue({ workflowName: 'flow', workflowID: ID, queueName: 'line', appVersion: '1' });
        } else {
                const steps = await client.listWorkflowSteps(ID);
                console.log(JSON.stringify({ steps: steps.map((s) => `${s.name} ${s.output}`) }));
        }
        await client.destroy();
        process.exit(0);
}
DBOS.setConfig({
        name: 'exam', systemDatabaseUrl: url, runAdminServer: false, logLevel: 'error', applicationVersion: '1',
        listenQueues: mode === 'work' ? ['line'] : [],
});
const flow = DBOS.registerWorkflow(async () => {
        try {
                for (const name of ['before', 'slow', 'after'])
                        await DBOS.runStep(() => step(name), { name });
        } catch (error) {
                say(error.message);
                throw error;
        }
        return me;
}, { name: 'flow' });
const many = DBOS.registerWorkflow(async (n) => {
        for (let i = 0; i < n; i++)
                await DBOS.runStep(async () => 'done', { name: 'step' });
}, { name: 'many' });
// A step each, which runs a command; so many of them at once.
const run = async (command, words) => {
        const [code] = await once(spawn(command, words, { stdio: 'ignore' }), 'exit');
        if (code !== 0)
                throw new Error(`${command}: exit code ${code}`);
};
const commands = DBOS.registerWorkflow(async (n, atOnce, command, ...words) => {
        let left = n;
        await Promise.all(Array.from({ length: atOnce }, async () => {
                while (left-- > 0)
                        await DBOS.runStep(() => run(command, words), { name: 'command' });
        }));
}, { name: 'commands' });
await DBOS.launch();
if (mode === 'steps') {
        await many(10);
        await answer({ settings: () => 'ready', steps: (n) => many(Number(n)),
                commands: (n) => commands(Number(n), 1, '/bin/true'),
                sleepers: (n) => commands(Number(n), 4, 'sleep', '0.05') });
} else {
        process.on('SIGTERM', () => process.exit(0));
        await new Promise(() => {});
}
await DBOS.shutdown();
