// Texts that no one writes and anyone may send: an endless part of one once took minutes or overflowed the stack.

const repeat = (part: string, length: number) => part.repeat(Math.ceil(length / part.length)).slice(0, length)

/** Draws from an alphabet, the same each time. */
const draw = (alphabet: string, length: number): string => {
  const characters = [...alphabet]
  let state = 1
  const drawn = Array.from({ length: Math.min(length, 50_000) }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return characters[Math.floor(state / 65_536) % characters.length]
  })
  return repeat(drawn.join(''), length)
}

const everyByte = String.fromCharCode(...Array.from({ length: 255 }, (_, index) => index + 1))

/** Each makes a text of about so many UTF-16 code units. */
export const difficultTexts: Readonly<Record<string, (length: number) => string>> = {
  'one word': (length) => repeat('a', length),
  'no spaces': (length) => repeat("a's", length),
  'minified JSON': (length) => repeat('{"id":12345,"name":"abc","tags":["x","y"],"share":3.14},', length),
  hex: (length) => draw('0123456789abcdef', length),
  'base 64': (length) => draw('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', length),
  digits: (length) => repeat('1', length),
  'digits and points': (length) => repeat('1.', length),
  apostrophes: (length) => repeat("a'", length),
  'one emoji': (length) => repeat('☺', length),
  'emoji of two code units': (length) => repeat('😀', length),
  families: (length) => repeat('👩‍👩‍👧‍👦', length),
  'halves of flags': (length) => repeat('🇦', length),
  'tags without an end': (length) => repeat('🏴\u{e0067}', length),
  joiners: (length) => repeat('\u200d', length),
  'characters that do not show': (length) => repeat('\u200b', length),
  Han: (length) => draw('日本語文章中国人大学生', length),
  Hangul: (length) => repeat('한국어', length),
  Thai: (length) => repeat('สวัสดี', length),
  'combining marks': (length) => `a${repeat('\u0345\u0301\u0327\u0316', length)}`,
  'marks out of order': (length) => repeat(`a${'\u0345'.repeat(900)}${'\u05b0'.repeat(900)}`, length),
  'letters that spell many': (length) => repeat('\ufdfa', length),
  'line ends': (length) => repeat('\n', length),
  'line ends and spaces': (length) => repeat('\n ', length),
  spaces: (length) => repeat(' ', length),
  'ends of sentences': (length) => repeat('! ', length),
  quotes: (length) => repeat('."', length),
  'short paragraphs': (length) => repeat('a\n\n', length),
  'bytes of a file': (length) => draw(everyByte, length),
  'characters of no script': (length) => repeat('\ufffd', length),
}

export const prose = (length: number): string =>
  repeat('The quick brown fox jumps over the lazy dog, and then it sleeps for a while. ', length)
