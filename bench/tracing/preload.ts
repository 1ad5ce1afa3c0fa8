import { AsyncLocalStorage, createHook, executionAsyncId } from 'node:async_hooks'
import type { EventEmitter } from 'node:events'
import { IncomingMessage, Server, ServerResponse } from 'node:http'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { pathToFileURL } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { enterFunction, instrument, type TracedFunction } from './instrument.ts'
import { createRecording, type Recording } from './recording.ts'

// Loaded into the service before its own code (`node --import`): instruments that code as it is loaded, and sends the
// starting process what was called. A request's calls are those of its own asynchronous context, so neither other requests
// nor workers are among them. The header `x-trace` says what to do:
//   request  trace this request, and send its calls when it is answered
//   follow   trace this request and what it goes on to do after its answer, and all that happens outside of requests
//   end      send what was followed

/** `recording` is undefined where a request is not traced, or no longer. */
type Request = { recording: Recording | undefined; isAnswered: boolean }

/** What was called by a request, and meanwhile outside of requests. */
export type Calls = { request: TracedFunction[]; background: TracedFunction[] }

const tree = pathToFileURL(`${process.cwd()}/`).href
const functions: TracedFunction[] = []
const requests = new AsyncLocalStorage<Request>()
let background: number[] | undefined
let followed: Request | undefined

const enter = (number: number): void => {
  const request = requests.getStore()
  if (request?.recording) request.recording.addCall(number, executionAsyncId())
  // What an earlier request set off and left behind, such as a timer, serves everybody.
  else if (!request || request.isAnswered) background?.push(number)
}

const name = (calls: readonly number[] = []): TracedFunction[] => calls.flatMap((number) => functions[number] ?? [])

const finish = (request: Request | undefined): void => {
  const calls: Calls = { request: name(request?.recording?.calls()), background: name(background) }
  if (request) request.recording = undefined
  background = undefined
  process.send?.(calls)
}

/** Begins to record a request, if its header asks for it. */
const begin = ({ headers }: IncomingMessage, response: ServerResponse): Request => {
  const order = headers['x-trace']
  const isTraced = order === 'request' || order === 'follow'
  const request: Request = { recording: isTraced ? createRecording() : undefined, isAnswered: false }
  response.once('finish', () => {
    request.isAnswered = true
    if (order === 'request') finish(request)
  })
  if (order === 'end') finish(followed)
  if (order === 'follow') {
    followed = request
    background = []
  }
  return request
}

/** Runs all that an emitter tells its listeners in a request's context: bodies arrive in that of their connection. */
const bindEvents = (emitter: EventEmitter, request: Request): void => {
  const emit = emitter.emit
  emitter.emit = function (this: EventEmitter, ...event: Parameters<typeof emit>): boolean {
    return requests.run(request, () => emit.apply(this, event))
  }
}

const recordRequests = (): void => {
  const emit = Server.prototype.emit
  Server.prototype.emit = function (this: Server, ...event: unknown[]): boolean {
    const [what, request, response] = event
    const go = () => Reflect.apply(emit, this, event)
    if (what !== 'request' || !(request instanceof IncomingMessage) || !(response instanceof ServerResponse))
      return go()
    const traced = begin(request, response)
    bindEvents(request, traced)
    bindEvents(response, traced)
    return requests.run(traced, go)
  }
}

registerHooks({
  load(url, context, next) {
    const file = url.startsWith(tree) ? url.slice(tree.length) : ''
    // The time is looked up everywhere and leads nowhere.
    if (!/^(server|contracts)\/src\/.*\.ts$/.test(file) || file.endsWith('/shared/clock.ts')) return next(url, context)
    const source = String(next(url, context).source)
    const instrumented = instrument(source, file, (traced) => functions.push(traced) - 1)
    return { format: 'module', source: stripTypeScriptTypes(instrumented), shortCircuit: true }
  },
})
Object.assign(globalThis, { [enterFunction]: enter })
if (isMainThread) {
  recordRequests()
  createHook({
    init: (work) => requests.getStore()?.recording?.addWork(work, executionAsyncId()),
  }).enable()
}
