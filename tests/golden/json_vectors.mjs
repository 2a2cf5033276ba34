// Numbers and documents with their canonical form, as an independent program makes it: Node reads
// with JSON.parse, sorts names by JavaScript's string order (UTF-16 code units) and prints with
// JSON.stringify. Everything comes from a seeded generator, so each run makes the same lines.
//
//   node tests/golden/json_vectors.mjs                   the committed sample: json_vectors.txt
//   node tests/golden/json_vectors.mjs full              100,000 numbers and 10,000 documents
//
// A line is the source text, a tab and the canonical text; neither holds raw tabs or line ends.

/** C. Doty-Humphrey's sfc32. */
let [a, b, c, counter] = [2026, 11, 20, 1];
function random32() {
        const sum = (((a + b) | 0) + counter) | 0;
        counter = (counter + 1) | 0;
        a = b ^ (b >>> 9);
        b = (c + (c << 3)) | 0;
        c = (((c << 21) | (c >>> 11)) + sum) | 0;
        return sum >>> 0;
}
for (let i = 0; i < 16; i++)
        random32();
const random64 = () => (BigInt(random32()) << 32n) | BigInt(random32());
const below = (n) => Math.floor((random32() / 4294967296) * n);
const one = (list) => list[below(list.length)];
const chance = (percent) => below(100) < percent;

const bytes = new DataView(new ArrayBuffer(8));
function doubleOf(bits) {
        bytes.setBigUint64(0, bits);
        return bytes.getFloat64(0);
}
function bitsOf(value) {
        bytes.setFloat64(0, value);
        return bytes.getBigUint64(0);
}

/** An integer literal keeps its digits; any other number is printed from its double. */
function canonicalNumber(literal) {
        if (/^-?\d+$/.test(literal))
                return literal === '-0' ? '0' : literal;
        return JSON.stringify(Number(literal));
}

/** A literal that reads as this double: its shortest form, or one with more digits. */
function literalOf(value) {
        switch (below(5)) {
        case 0:
                return value.toExponential(below(21));
        case 1:
                return value.toPrecision(17);
        case 2:
                return String(value).replace('e', 'E');
        case 3:
                return value.toExponential().replace('e', one(['e0', 'E+0', 'e+']).replace('e+0', 'e'))
                        .replace(/([eE]\+?0?)([+-])/, (_, e, sign) => 'e' + sign + '0');
        default:
                return String(value);
        }
}

/** A value half way between two doubles, in full, and the literals next to it. */
function* midpoints(value) {
        const bits = bitsOf(Math.abs(value));
        const fraction = bits & ((1n << 52n) - 1n), biased = Number(bits >> 52n);
        if (biased === 0x7ff)
                return;
        const middle = 2n * (biased ? fraction | (1n << 52n) : fraction) + 1n;
        const q = Math.max(biased, 1) - 1075 - 1;
        const digits = q >= 0 ? middle << BigInt(q) : middle * 5n ** BigInt(-q);
        const exponent = q >= 0 ? 0 : q;
        yield `${digits}.0e${exponent}`;
        yield `${digits}.${'0'.repeat(below(40))}1e${exponent}`;
        yield `${digits - 1n}.${'9'.repeat(1 + below(40))}e${exponent}`;
        yield `${digits}${'0'.repeat(800)}1e${exponent - 801}`;
}

function* numbers(full) {
        const scale = full ? 1 : 0.01;
        const times = (n) => Math.ceil(n * scale);
        yield* ['0', '-0', '0.0', '-0.0', '0e0', '-0E-5', '0.000e999999999', '1', '-1', '10', '1.0', '1.50',
                '100e-2', '1e0', '1E+2', '1e21', '1e20', '1.5e21', '123456789012345680000.0', '1e-6',
                '1e-7', '0.000001', '0.0000001', '9007199254740991', '9007199254740992',
                '9007199254740993', '-9007199254740993', '9007199254740993.0', '9007199254740992.5',
                '123456789012345678901234567890', '1'.repeat(400), '1e-400', '-1e-400', '5e-324', '2.5e-324',
                '2.4703282292062327e-324', '2.4703282292062328e-324', '1.7976931348623157e308',
                '1.7976931348623158e308', '2.2250738585072014e-308', '2.2250738585072011e-308',
                '5.684341886080802e-14', '9.5e-300', '999999999999999.9', '0.1', '0.30000000000000004',
                '4.35', '1.005', '123456789012345.6', '12345678901234567.8', '1e23', '9.999999999999999e22',
                '9.3170532238714134e-310', '0.' + '0'.repeat(400) + '1e401', '1' + '0'.repeat(400) + '.0e-400'];
        for (let e = -1074; e <= 1023; e += full ? 1 : 37)
                for (const step of [-1n, 0n, 1n]) {
                        const value = doubleOf(bitsOf(2 ** e) + step);
                        if (value > 0) {
                                yield literalOf(value);
                                if (full)
                                        yield String(-value);
                        }
                }
        for (let e = -330; e <= 308; e += full ? 1 : 13) {
                yield `1e${e}`;
                yield `9.999999999999999e${e - 1}`;
                yield `1${'0'.repeat(below(30))}.0E${e < 280 ? e : 0}`;
        }
        for (let i = 0; i < times(80000); i++) {
                const value = doubleOf(random64());
                if (Number.isFinite(value))
                        yield literalOf(value);
        }
        for (let i = 0; i < times(2000); i++)
                yield literalOf(doubleOf(random64() & ((1n << BigInt(1 + below(52))) - 1n)));
        for (let i = 0; i < times(10000); i++) { // a few digits, anywhere
                const digits = String(random64()).slice(0, 1 + below(19)).replace(/^0+(?=\d)/, '');
                const fraction = String(random64()).slice(0, 1 + below(19));
                yield `${one(['', '-'])}${digits}.${fraction}`;
                yield `${digits}${one(['', '.' + fraction])}e${one(['', '+', '-'])}${below(290)}`;
        }
        for (let i = 0; i < times(4000); i++)
                yield `${one(['', '-'])}${BigInt.asUintN(1 + below(64), random64())}`;
        for (let i = 0; i < times(1000); i++)
                yield* midpoints(doubleOf(random64() & ~(1n << 63n)));
}

const CHARACTERS = ['a', 'b', 'z', 'A', '0', ' ', '/', '<', '\u007f', '\u0080', '\u00e9', '\u00df', '\u0416', '\u05d0',
        '\u20ac', '\u3042', '\ud7ff', '\ue000', '\ufb33', '\uffff', '\u{10000}', '\u{1f600}', '\u{10ffff}', '"', '\\', '\b',
        '\f', '\n', '\r', '\t', '\u0000', '\u0001', '\u000b', '\u001f', '\u2028'];

function* text(longest) {
        for (let n = below(longest + 1); n > 0; n--)
                yield chance(60) ? String.fromCharCode(97 + below(26)) : one(CHARACTERS);
}

/** The same string in one of the ways that JSON can write it. */
function quote(string) {
        let out = '"';
        for (const character of string) {
                const plain = JSON.stringify(character).slice(1, -1);
                const units = [...Array(character.length).keys()].map((i) => character.charCodeAt(i));
                const escaped = units.map((u) => '\\u' + u.toString(16).padStart(4, '0')).join('');
                out += chance(85) ? plain : one([escaped, escaped.toUpperCase().replaceAll('\\U', '\\u'),
                        character === '/' ? '\\/' : plain]);
        }
        return out + '"';
}

const space = () => (chance(70) ? '' : ' '.repeat(below(20)));

/** A document as [source, canonical]. */
function document(depth) {
        const kind = below(depth > 0 ? 10 : 6);
        if (kind < 2) {
                const string = [...text(chance(10) ? 60 : 12)].join('');
                return [quote(string), JSON.stringify(string)];
        }
        if (kind < 5) {
                const literal = one([() => String(below(1000) - 500), () => String(random64()),
                        () => literalOf(below(100000) / 1000), () => literalOf(doubleOf(random64() >> 2n))])();
                return Number.isFinite(Number(literal)) ? [literal, canonicalNumber(literal)] : ['0', '0'];
        }
        if (kind === 5)
                return Array(2).fill(one(['true', 'false', 'null']));
        const size = chance(3) ? 50 + below(50) : below(9);
        if (kind < 8) {
                const parts = Array.from({ length: size }, () => document(depth - 1 - (size > 20)));
                return [`[${space()}${parts.map((p) => p[0]).join(space() + ',' + space())}${space()}]`,
                        `[${parts.map((p) => p[1]).join(',')}]`];
        }
        const members = new Map();
        const prefix = chance(20) ? [...text(12)].join('') : '';
        for (let i = 0; i < size; i++)
                members.set(prefix + [...text(6)].join(''), document(depth - 1 - (size > 20)));
        const parts = [...members].map(([name, [source]]) => quote(name) + space() + ':' + space() + source);
        const names = [...members.keys()].sort();
        return [`{${space()}${parts.join(space() + ',' + space())}${space()}}`,
                `{${names.map((n) => JSON.stringify(n) + ':' + members.get(n)[1]).join(',')}}`];
}

const full = process.argv[2] === 'full';
const lines = [];
for (const literal of numbers(full))
        lines.push(`${literal}\t${canonicalNumber(literal)}`);
for (let i = 0; i < (full ? 10000 : 200); i++)
        lines.push(document(full ? 5 : 3).join('\t'));
process.stdout.write(lines.join('\n') + '\n');
