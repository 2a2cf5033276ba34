// The same work as bench_hash, by Node: parse, sort names, print, SHA-256.
//
//   bench_hash --file /tmp/mixed.json && node bench/hash_node.mjs /tmp/mixed.json
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const RUNS = 7;

function canonical(value) {
        if (Array.isArray(value))
                return '[' + value.map(canonical).join(',') + ']';
        if (value !== null && typeof value === 'object')
                return '{' + Object.keys(value).sort()
                        .map((name) => JSON.stringify(name) + ':' + canonical(value[name])).join(',') + '}';
        return JSON.stringify(value);
}

const bytes = readFileSync(process.argv[2]);
function median(run) {
        const took = [];
        for (let i = 0; i < RUNS; i++) {
                const start = process.hrtime.bigint();
                run();
                took.push(Number(process.hrtime.bigint() - start));
        }
        return took.sort((a, b) => a - b)[RUNS >> 1];
}

const sha = (data) => createHash('sha256').update(data).digest('hex');
const plain = median(() => sha(bytes));
const hash = median(() => sha(canonical(JSON.parse(bytes))));
console.log(`${String(bytes.length).padStart(9)} bytes: SHA-256 ${plain} ns, canonical hash ${hash} ns ` +
        `(${(hash / plain).toFixed(2)}x)`);
console.log(sha(canonical(JSON.parse(bytes))));
