import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core'
import type { CodeRequest, ScriptAnswer } from './code-messages.ts'

// The process that runs code of an agent, started by run-isolated-code.ts: the request comes by standard input, and the answer leaves by
// standard output. The code runs in QuickJS, which is WebAssembly with a memory of its own, inside a process that may do nothing. It sees
// no object of this process but the functions below, and no clock but the one of its request.

const maxOutput = 64 * 1024
const maxResult = 128 * 1024
const maxFiles = 10
const maxFileLength = 256 * 1024
const maxStackBytes = 200 * 1024

const readInput = async (): Promise<CodeRequest> => {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece)
  return JSON.parse(Buffer.concat(pieces).toString('utf8'))
}

const elapsed = performance.now.bind(performance)

/** QuickJS reads the time, and the seed of its random numbers, from this function. */
const holdClock = (now: number): void => {
  Date.now = () => now
}

const loadEngine = async (): Promise<QuickJSWASMModule> => {
  const { newQuickJSWASMModuleFromVariant } = await import('quickjs-emscripten-core')
  return newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'))
}

/** The output and the files of the code so far. */
type Done = { output: string; isCut: boolean; files: ScriptAnswer['files'] }

const defineFunction = (
  context: QuickJSContext,
  on: QuickJSHandle,
  name: string,
  call: (...given: QuickJSHandle[]) => void,
): void => {
  context.newFunction(name, (...given) => call(...given)).consume((handle) => context.setProp(on, name, handle))
}

/** The JSON text of a value, by the function that the code found when it began. */
const stringify = (context: QuickJSContext, toJson: QuickJSHandle, value: QuickJSHandle): string | undefined =>
  context
    .unwrapResult(context.callFunction(toJson, context.undefined, value))
    .consume((text) => (context.typeof(text) === 'string' ? context.getString(text) : undefined))

const print = (context: QuickJSContext, toJson: QuickJSHandle, done: Done, given: readonly QuickJSHandle[]): void => {
  if (done.isCut) return
  const texts = given.map((value) =>
    context.typeof(value) === 'object'
      ? (stringify(context, toJson, value) ?? 'undefined')
      : context.typeof(value) === 'symbol'
        ? 'symbol'
        : context.getString(value),
  )
  done.output += `${texts.join(' ')}\n`
  if (done.output.length <= maxOutput) return
  done.output = `${done.output.slice(0, maxOutput)}\n[cut here: more than ${maxOutput} characters]`
  done.isCut = true
}

const write = (context: QuickJSContext, done: Done, [path, content]: readonly QuickJSHandle[]): void => {
  const [at, text] = [path, content].map((value) =>
    value && context.typeof(value) === 'string' ? context.getString(value) : undefined,
  )
  if (at === undefined || text === undefined) throw new Error('writeFile takes a path and a text.')
  if (text.length > maxFileLength) throw new Error(`A file has at most ${maxFileLength} characters.`)
  const others = done.files.filter((file) => file.path !== at)
  if (others.length >= maxFiles) throw new Error(`Code writes at most ${maxFiles} files.`)
  done.files = [...others, { path: at, content: text }]
}

/** Throws for a file that the call did not name. */
const read = (context: QuickJSContext, files: CodeRequest['files'], path: QuickJSHandle | undefined): QuickJSHandle => {
  const at = path && context.typeof(path) === 'string' ? context.getString(path) : ''
  const text = Object.hasOwn(files, at) ? files[at] : undefined
  if (text === undefined) throw new Error(`There is no file ${JSON.stringify(at)}. Name it in \`files\` of the call.`)
  return context.newString(text)
}

/** Gives the code its console, its input, and a way to write files. */
const prepare = (context: QuickJSContext, toJson: QuickJSHandle, request: CodeRequest, done: Done): void => {
  const { global } = context
  context.newObject().consume((console) => {
    for (const name of ['log', 'info', 'warn', 'error'])
      defineFunction(context, console, name, (...given) => print(context, toJson, done, given))
    context.setProp(global, 'console', console)
  })
  context
    .newFunction('readFile', (path) => read(context, request.files, path))
    .consume((handle) => context.setProp(global, 'readFile', handle))
  if (request.mayWrite) defineFunction(context, global, 'writeFile', (...given) => write(context, done, given))
  context.unwrapResult(context.evalCode(`(${JSON.stringify(request.input)})`)).consume((text) =>
    context
      .getProp(global, 'JSON')
      .consume((json) => context.getProp(json, 'parse'))
      .consume((parse) => context.unwrapResult(context.callFunction(parse, context.undefined, text)))
      .consume((input) => context.setProp(global, 'input', input)),
  )
}

const toErrorText = (error: unknown): string => {
  if (error instanceof RangeError) return 'RangeError: the code calls itself too deeply.'
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return text.includes('interrupted') ? 'The code took longer than it may.' : text.slice(0, 2_000)
}

/** The value of the code, or of the promise that it is. */
const evaluate = (context: QuickJSContext, code: string): QuickJSHandle => {
  const value = context.unwrapResult(context.evalCode(code, 'code.js'))
  context.unwrapResult(context.runtime.executePendingJobs())
  const settled = context.getPromiseState(value)
  if (settled.type === 'fulfilled') return settled.value
  if (settled.type === 'pending') throw new Error('The promise that the code ends with never settles.')
  return context.unwrapResult({ error: settled.error })
}

const runCode = (engine: QuickJSWASMModule, request: CodeRequest): ScriptAnswer => {
  const runtime = engine.newRuntime()
  runtime.setMemoryLimit(request.memoryBytes)
  runtime.setMaxStackSize(maxStackBytes)
  const until = elapsed() + request.seconds * 1_000
  runtime.setInterruptHandler(() => elapsed() > until)
  const context = runtime.newContext()
  const done: Done = { output: '', isCut: false, files: [] }
  const toJson = context.getProp(context.global, 'JSON').consume((json) => context.getProp(json, 'stringify'))
  try {
    prepare(context, toJson, request, done)
    const result = stringify(context, toJson, evaluate(context, request.code))
    const { output, files } = done
    if (result === undefined) return { output, files }
    if (result.length > maxResult)
      return { output, files: [], error: `The result has more than ${maxResult} characters of JSON. Return less.` }
    return { result, output, files }
  } catch (error) {
    // Nothing is kept of files that code wrote before it failed.
    return { output: done.output, files: [], error: toErrorText(error) }
  }
}

process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
const request = await readInput()
holdClock(request.now)
const answer = runCode(await loadEngine(), request)
process.stdout.write(JSON.stringify(answer), () => process.exit(0))
