// LangGraph's PostgresSaver, for bench_fleet_peers: "put N" puts N checkpoints, one after the other, each to a thread
// of its own; "get N" reads N times the latest of a thread.
//
//   node saver.mjs URL
import { uuid6 } from '@langchain/langgraph-checkpoint';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { randomUUID } from 'node:crypto';
import { answer, payload } from './answer.mjs';

const THREADS = 1000;
const saver = PostgresSaver.fromConnString(process.argv[2]);
await saver.setup();
let clock = 0;
const at = (thread) => ({ configurable: { thread_id: thread, checkpoint_ns: '' } });
const put = (thread) => saver.put(at(thread), {
        v: 4, id: uuid6(clock++ % 0x3fff), ts: '2026-11-20T12:35:00.000000Z',
        channel_values: { step: payload(randomUUID()) }, channel_versions: { step: 1 }, versions_seen: {},
}, { source: 'loop', step: clock, parents: {} }, { step: 1 });

for (let i = 0; i < THREADS; i++)
        await put(`thread-${i}`);
let next = 0;
await answer({
        settings: () => 'ready',
        async put(n) {
                for (let i = 0; i < n; i++)
                        await put(`new-${next++}`);
        },
        async get(n) {
                for (let i = 0; i < n; i++)
                        if (!(await saver.getTuple(at(`thread-${next++ * 77 % THREADS}`))).checkpoint.channel_values.step.retry_token)
                                throw new Error('no checkpoint');
        },
});
await saver.end();
