import { AsyncLocalStorage, createHook, executionAsyncId } from 'node:async_hooks'
import type { EventEmitter } from 'node:events'
import { IncomingMessage, Server, ServerResponse } from 'node:http'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { pathToFileURL } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { enterFunction, instrument, type TracedFunction } from './instrument.ts'
import { createRecording, type Recording } from './recording.ts'

// Loaded into the service before its own code (`node --import`): instruments that code as it is loaded, and sends the
// starting process the calls of a request. These are the calls of its own asynchronous context, so neither other requests
// nor idle workers are among them, but the work that it hands to a worker of this node is. The header `x-trace` says what
// to do:
//   request  trace this request, and send its calls when it is answered
//   follow   trace this request and the work that it begins, which may go on after its answer
//   end      send what was followed

/** `recording` is undefined where a request is not traced, or no longer. */
type Request = { recording: Recording | undefined }

const tree = pathToFileURL(`${process.cwd()}/`).href
const functions: TracedFunction[] = []
const requests = new AsyncLocalStorage<Request>()
let followed: Request | undefined

const enter = (number: number): void => requests.getStore()?.recording?.addCall(number, executionAsyncId())

const finish = (request: Request | undefined): void => {
  const calls = request?.recording?.calls() ?? []
  if (request) request.recording = undefined
  process.send?.(calls.flatMap((number) => functions[number] ?? []))
}

/** Begins to record a request, if its header asks for it. */
const begin = ({ headers }: IncomingMessage, response: ServerResponse): Request => {
  const order = headers['x-trace']
  const isTraced = order === 'request' || order === 'follow'
  const request: Request = { recording: isTraced ? createRecording() : undefined }
  if (order === 'request') response.once('finish', () => finish(request))
  if (order === 'end') finish(followed)
  if (order === 'follow') followed = request
  return request
}

/** Runs an emitter's listeners in a request's context: bodies arrive in that of their connection. */
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
