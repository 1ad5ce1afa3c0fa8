import fc from 'fast-check'

// Input of a careless or hostile caller, for tests that hold for everything.

const oddTexts = fc.constantFrom(
  ...[
    '',
    ' ',
    '\0',
    '\ufeff',
    '\u202e',
    '\ud83d',
    '\udc00',
    '👩‍👩‍👧',
    'é',
    'e\u0301',
    '__proto__',
    'constructor',
    'toString',
  ],
  ...[
    '$ref:x',
    '../..',
    '%00',
    '%',
    "'; drop table brains; --",
    '\\',
    '"',
    '\n',
    '2026-02-30T25:61:00Z',
    '-1',
    '1e999',
    'null',
  ],
  ...['x'.repeat(300), 'x'.repeat(20_000), '\u{1f600}'.repeat(200)],
)
const text = fc.oneof(oddTexts, fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ maxLength: 20 }))

const leaf = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, 2 ** 53, -(2 ** 60), 1e308, true, false, null),
)

/** JSON of any shape, with names that objects of JavaScript know and numbers that no column holds. */
const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
})).value

/** A body that is almost right: one of its fields, or a field of those, is replaced, removed or added. */
const almost = (body: unknown): fc.Arbitrary<unknown> => {
  if (body === null || typeof body !== 'object') return anyJson
  const names = Object.keys(body)
  const changed = fc.tuple(fc.constantFrom(...names, 'id', 'idempotencyKey'), anyJson, fc.boolean())
  const here = changed.map(([name, value, isRemoved]) => {
    const copy: Record<string, unknown> = { ...body }
    if (isRemoved) delete copy[name]
    else copy[name] = value
    return copy
  })
  const nested = Object.entries(body).filter(([, value]) => value !== null && typeof value === 'object')
  const deeper = nested.map(([name, value]) => almost(value).map((inner) => ({ ...body, [name]: inner })))
  return fc.oneof(here, ...deeper)
}

const asBytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value) ?? '')

const rawBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc
    .constantFrom(
      ...[
        '{',
        '[',
        '"',
        '{"a":',
        '[1,]',
        "{'a':1}",
        'undefined',
        'NaN',
        '-',
        '01',
        '\ufeff{}',
        '{}{}',
        '{"a":1,"a":2}',
      ],
      ...['['.repeat(65), '['.repeat(100_000), '{"a":'.repeat(1_000), `${'['.repeat(64)}${']'.repeat(64)}`],
      ...['{"__proto__":{"kind":"x"}}', '{"constructor":{"prototype":{}}}', '"\\ud800"', '{"\\u0000":1}'],
    )
    .map((given) => Buffer.from(given)),
)

/** A body of an endpoint whose right body is known: anything, almost that, or bytes that are no JSON. */
export const anyBody = (right: unknown): fc.Arbitrary<Uint8Array> =>
  fc.oneof(anyJson.map(asBytes), almost(right).map(asBytes), rawBytes)

export const anyContentType = fc.oneof(
  { weight: 6, arbitrary: fc.constant('application/json') },
  fc.constantFrom(
    'text/plain',
    'application/json; charset=utf-16',
    'application/xml',
    'multipart/form-data',
    ';',
    '*/*',
  ),
)

/** Valid text of a header. */
export const anyHeaderText = fc.stringMatching(/^[\x20-\x7e\xa0-\xff]{0,100}$/)

/** One segment of a path as it travels, well encoded or not. */
export const anySegment = fc.oneof(
  text.filter((given) => given.isWellFormed()).map(encodeURIComponent),
  fc.constantFrom(
    ...[
      '%',
      '%zz',
      '%00',
      '%0',
      '%ff',
      '%c0%af',
      '%ed%a0%80',
      '%2F',
      '%2e%2e',
      '..',
      '.',
      '%252F',
      '%5c',
      ';a=b',
      '%3F',
    ],
    ...['a%0d%0aset-cookie:x', '{id}', ':id', '*', '__proto__', 'x'.repeat(1_999), 'x'.repeat(2_001), '%F0%9F%98%80'],
  ),
)

/** A query of declared and other names, some given twice. */
export const anyQuery = (names: readonly string[], cursors: readonly string[]): fc.Arbitrary<string> => {
  const value = fc.oneof(
    text.filter((given) => given.isWellFormed()).map(encodeURIComponent),
    fc.constantFrom('1', '0', '501', '%00', '%zz', 'true', 'record.accepted', ...cursors),
    fc
      .constantFrom('x', ...cursors)
      .chain((cursor) =>
        fc
          .tuple(fc.nat(cursor.length), fc.base64String({ maxLength: 6 }))
          .map(([at, cut]) => encodeURIComponent(cursor.slice(0, at) + cut + cursor.slice(at + 1))),
      ),
  )
  const name =
    names.length > 0
      ? fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, text.map(encodeSafely))
      : text.map(encodeSafely)
  return fc
    .array(fc.tuple(name, value), { minLength: 1, maxLength: 3 })
    .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'))
}

const encodeSafely = (given: string): string => encodeURIComponent(given.toWellFormed())
