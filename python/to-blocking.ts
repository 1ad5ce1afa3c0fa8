// The client that blocks, from the one that awaits: the two are the same but for the words of awaiting.

const words: readonly [RegExp, string][] = [
  [/The client that awaits/, 'The client that blocks'],
  [/^import asyncio\n/gm, ''],
  [/\basyncio\.sleep\b/g, 'time.sleep'],
  [/\bAsync(Noema|Brain|Iterator)\b/g, '$1'],
  [/\bhttpx\.AsyncClient\b/g, 'httpx.Client'],
  [/\bhttpx\.AsyncBaseTransport\b/g, 'httpx.BaseTransport'],
  [/\b__a(enter|exit)__\b/g, '__$1__'],
  [/\.a(close|read|iter_lines)\(/g, '.$1('],
  [/\ban `async with`/g, 'a `with`'],
  [/\basync (def|for|with)\b/g, '$1'],
  [/\bawait /g, ''],
]

const head = '# Made from async_client.py by docs/generate.ts. Do not edit.\n'

/** The text of `noema/client.py`, of that of `noema/async_client.py`. */
export const toBlocking = (awaiting: string): string => {
  const text = words.reduce((made, [word, replacement]) => made.replace(word, replacement), awaiting)
  const left = /\b(async|await|asyncio|Async\w*)\b/i.exec(text)?.[0]
  if (left !== undefined) throw new Error(`async_client.py has the word ${left}, and nothing says how it blocks.`)
  return head + text
}
