// emmett-sqlite on one connection that is kept: "append N" appends N events to a stream at once,
// "at_once N" one each to N streams, "load N" reads N streams of one event, "list" one of 1,000.
// Write-ahead log and synchronous FULL, its defaults.
//
//   node emmett.mjs DATABASE
import {
        appendToStream, createEventStoreSchema, readStream, sqliteConnection,
} from '@event-driven-io/emmett-sqlite';
import { randomUUID } from 'node:crypto';
import { answer, payload } from './answer.mjs';

const STREAMS = 1000;
const connection = sqliteConnection({ fileName: process.argv[2] });
await connection.query('PRAGMA journal_mode = WAL'); // its own is not waited for
await createEventStoreSchema(connection);
const event = () => ({ type: 'StepCheckpointed', data: payload(randomUUID()), metadata: {} });

async function append(stream, n) {
        if (!(await appendToStream(connection, stream, 'step', Array.from({ length: n }, event))).success)
                throw new Error(`${stream}: not appended`);
}

async function read(stream, n) {
        if ((await readStream(connection, stream)).events.length !== n)
                throw new Error(`${stream}: events are missing`);
}

for (let i = 0; i < STREAMS; i++)
        await append(`stream-${i}`, 1);
await append('long', 1000);
let next = 0;
await answer({
        async settings() {
                const [{ journal_mode }] = await connection.query('PRAGMA journal_mode');
                const [{ synchronous }] = await connection.query('PRAGMA synchronous');
                return `${journal_mode} ${synchronous}`;
        },
        append: (n) => append(`new-${next++}`, Number(n)),
        async at_once(n) { // of two transactions at once its connection refuses one
                for (let i = 0; i < n; i++)
                        await append(`new-${next++}`, 1);
        },
        async load(n) {
                for (let i = 0; i < n; i++)
                        await read(`stream-${next++ * 77 % STREAMS}`, 1);
        },
        list: () => read('long', 1000),
});
connection.close();
