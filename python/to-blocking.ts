// Generates the blocking client from the asynchronous one. The two differ only in the keywords and names of async code.

const words: readonly [RegExp, string][] = [
  [/The asynchronous client/, 'The blocking client'],
  [/^import asyncio\n/gm, ''],
  [/\basyncio\.sleep\b/g, 'time.sleep'],
  [
    /\bAsync(Noema|Brain|Runs|Agents|Evals|Distillations|Goals|Rubrics|Schedules|Packs|Files|Flow|Webhooks|Iterator)\b/g,
    '$1',
  ],
  [/\bAwaitable\[Any\]/g, 'Any'],
  [/\bAwaitable, /g, ''],
  [/\bhttpx\.AsyncClient\b/g, 'httpx.Client'],
  [/\bhttpx\.AsyncBaseTransport\b/g, 'httpx.BaseTransport'],
  [/\b__a(enter|exit)__\b/g, '__$1__'],
  [/\.a(close|read|iter_lines)\(/g, '.$1('],
  [/\ban `async with`/g, 'a `with`'],
  [/\basync (def|for|with)\b/g, '$1'],
  [/\bawait /g, ''],
]

const head = '# Generated from async_client.py by python/generate.ts. Do not edit.\n'

/** The text of `noema/client.py`, from the text of `noema/async_client.py`. */
export const toBlocking = (asyncClient: string): string => {
  const text = words.reduce((made, [word, replacement]) => made.replace(word, replacement), asyncClient)
  const left = /\b(async|await|asyncio|Async\w*)\b/i.exec(text)?.[0]
  if (left !== undefined)
    throw new Error(`async_client.py has the word ${left}, which to-blocking.ts does not replace.`)
  return head + text
}
