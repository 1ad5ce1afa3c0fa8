import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import openWabt from 'wabt'

const kernel = new URL('../server/src/features/retrieval/vectors/kernel', import.meta.url)

test('the kernel is what its text says: npx wat2wasm kernel.wat -o kernel.wasm', async () => {
  const wabt = await openWabt()
  const parsed = wabt.parseWat('kernel.wat', readFileSync(`${kernel.pathname}.wat`, 'utf8'))
  const { buffer } = parsed.toBinary({})
  parsed.destroy()
  expect(Buffer.from(buffer)).toEqual(readFileSync(`${kernel.pathname}.wasm`))
})
