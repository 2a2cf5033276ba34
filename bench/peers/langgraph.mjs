// LangGraph's SqliteSaver: "append N" puts N checkpoints in one transaction, "at_once N" N that do not
// wait for each other, "load N" reads N times the latest of a thread, "list" every one of a thread that
// has 1,000. Write-ahead log and synchronous FULL.
//
//   node langgraph.mjs DATABASE
import { uuid6 } from '@langchain/langgraph-checkpoint';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'better-sqlite3';
import { randomUUID } from 'node:crypto';
import { answer, payload } from './answer.mjs';

const THREADS = 1000;
const db = new Database(process.argv[2]);
const saver = new SqliteSaver(db);
saver.setup();
db.pragma('synchronous = FULL');

let clock = 0;
const at = (thread) => ({ configurable: { thread_id: thread, checkpoint_ns: '' } });
const put = (thread) => saver.put(at(thread), {
        v: 4, id: uuid6(clock++ % 0x3fff), ts: '2026-11-20T12:35:00.000000Z',
        channel_values: payload(randomUUID()), channel_versions: {}, versions_seen: {},
}, { source: 'loop', step: clock, parents: {} }, {});

// One transaction, since its own put() is one each.
async function append(thread, n) {
        if (n > 1)
                db.exec('BEGIN IMMEDIATE');
        for (let i = 0; i < n; i++)
                await put(thread(i));
        if (n > 1)
                db.exec('COMMIT');
}

await append((i) => `thread-${i}`, THREADS);
await append(() => 'long', 1000);
let next = 0;
await answer({
        settings: () => `${db.pragma('journal_mode', { simple: true })} ${db.pragma('synchronous', { simple: true })}`,
        append: (n) => append(() => `thread-${next++ % THREADS}`, Number(n)),
        async at_once(n) {
                await Promise.all(Array.from({ length: n }, () => put(`thread-${next++ % THREADS}`)));
        },
        async load(n) {
                for (let i = 0; i < n; i++)
                        if (!(await saver.getTuple(at(`thread-${next++ * 77 % THREADS}`))).checkpoint)
                                throw new Error('no checkpoint');
        },
        async list() {
                let n = 0;
                for await (const tuple of saver.list(at('long')))
                        n += tuple.checkpoint ? 1 : 0;
                if (n !== 1000)
                        throw new Error(`${n} checkpoints`);
        },
});
db.close();
