// Node's own hash of JSON: parse, sort the names, print, SHA-256. "hash N" does it N times.
//
//   node hash.mjs FILE
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { answer } from './answer.mjs';

function canonical(value) {
        if (Array.isArray(value))
                return '[' + value.map(canonical).join(',') + ']';
        if (value !== null && typeof value === 'object')
                return '{' + Object.keys(value).sort()
                        .map((name) => JSON.stringify(name) + ':' + canonical(value[name])).join(',') + '}';
        return JSON.stringify(value);
}

const text = readFileSync(process.argv[2]);
const hash = () => createHash('sha256').update(canonical(JSON.parse(text))).digest('hex');
await answer({
        settings: hash,
        hash(n) {
                for (let i = 0; i < n; i++)
                        hash();
        },
});
