import type { BrainDetail } from '@noema/contracts/brains.ts'
import type { EventType } from '@noema/contracts/event-types.ts'
import type { BrainEvent } from '@noema/contracts/events.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { RunPart } from '@noema/contracts/run-stream.ts'
import type { Run } from '@noema/contracts/runs.ts'
import { expectTypeOf, test } from 'vitest'
import type { BrainClient, Client } from './client.ts'

type Last<Args extends readonly unknown[]> = Required<Args> extends readonly [...unknown[], infer Value] ? Value : never
type OptionNames<Method extends (...args: never[]) => unknown> = keyof NonNullable<Last<Parameters<Method>>>
type Common = 'signal' | 'timeoutMs' | 'maxRetries'

test('a method takes its unbound path parameters, then its input, then options', () => {
  expectTypeOf<Parameters<Client['whoami']>['length']>().toEqualTypeOf<0 | 1>()
  expectTypeOf<Parameters<Client['brains']['put']>[0]>().toEqualTypeOf<string>()
  expectTypeOf<Parameters<Client['brains']['put']>[1]>().toEqualTypeOf<
    | {
        name?: string | undefined
        purpose?: string | undefined
        mode?: 'direct' | 'review' | undefined
        openTo?: 'organization' | 'members' | undefined
        schema?: string | undefined
      }
    | undefined
  >()
  expectTypeOf<Parameters<BrainClient['records']['delete']>['length']>().toEqualTypeOf<1 | 2>()
  expectTypeOf<Parameters<BrainClient['records']['create']>['length']>().toEqualTypeOf<1 | 2>()
  expectTypeOf<Parameters<BrainClient['records']['list']>['length']>().toEqualTypeOf<0 | 1 | 2>()
  expectTypeOf<Parameters<BrainClient['batch']>['length']>().toEqualTypeOf<1 | 2>()
})

test('ifMatch and idempotencyKey are offered where the endpoint takes them, and nowhere else', () => {
  expectTypeOf<OptionNames<BrainClient['records']['put']>>().toEqualTypeOf<Common | 'ifMatch' | 'idempotencyKey'>()
  expectTypeOf<OptionNames<BrainClient['records']['create']>>().toEqualTypeOf<Common | 'idempotencyKey'>()
  expectTypeOf<OptionNames<BrainClient['records']['get']>>().toEqualTypeOf<Common>()
  expectTypeOf<OptionNames<BrainClient['keys']['rotate']>>().toEqualTypeOf<Common>()
  expectTypeOf<OptionNames<Client['keys']['mint']>>().toEqualTypeOf<Common | 'idempotencyKey'>()
})

test('documents are written like records: with an id by put, without one by create', () => {
  type Documents = BrainClient['documents']
  expectTypeOf<Documents['put']>().toBeCallableWith('note', { title: 'Note', text: 'It rains.' }, { ifMatch: 1 })
  expectTypeOf<Documents['create']>().toBeCallableWith({ text: 'It rains.' }, { idempotencyKey: 'once' })
  expectTypeOf<Parameters<Documents['create']>[0]>().not.toHaveProperty('id')
  expectTypeOf<ReturnType<Documents['create']>>().toEqualTypeOf<ReturnType<Documents['put']>>()
  // The former form, for a release.
  expectTypeOf<Documents['put']>().toBeCallableWith({ id: 'note', text: 'It rains.' }, { ifMatch: 1 })
  // @ts-expect-error An id alone is no document.
  expectTypeOf<Documents['put']>().toBeCallableWith('note')
})

test('an idempotency key that travels in the body is an option, not a field', () => {
  expectTypeOf<Parameters<BrainClient['keys']['mint']>[0]>().toEqualTypeOf<{
    name: string
    capabilities: ('read' | 'write' | 'review' | 'admin')[]
  }>()
})

test('a query takes parsed values: numbers, booleans, arrays, Dates', () => {
  expectTypeOf<NonNullable<Parameters<BrainClient['events']['list']>[0]>>().toEqualTypeOf<{
    after?: string | undefined
    limit?: number | undefined
    newest?: number | undefined
    types?: readonly EventType[] | undefined
  }>()
  type Statements = NonNullable<Parameters<BrainClient['statements']['list']>[0]>
  expectTypeOf<Statements['validAt']>().toEqualTypeOf<string | Date | undefined>()
  expectTypeOf<Statements['retracted']>().toEqualTypeOf<boolean | undefined>()
  expectTypeOf<Statements['subject']>().toEqualTypeOf<string | undefined>()
})

test('a call gives the data of its endpoint, and a list also its items', () => {
  expectTypeOf<Awaited<ReturnType<Client['brains']['get']>>>().toEqualTypeOf<{ brain: BrainDetail }>()
  expectTypeOf<ReturnType<BrainClient['records']['list']>>().toExtend<AsyncIterable<BrainRecord>>()
  expectTypeOf<ReturnType<BrainClient['query']>>().toExtend<AsyncIterable<BrainRecord>>()
  expectTypeOf<ReturnType<BrainClient['events']['list']>>().toExtend<AsyncIterable<BrainEvent>>()
  expectTypeOf<ReturnType<BrainClient['records']['get']>>().not.toExtend<AsyncIterable<unknown>>()
  expectTypeOf<ReturnType<ReturnType<BrainClient['records']['list']>['withResponse']>>().resolves.toHaveProperty(
    'response',
  )
})

test('only endpoints with a live tail have follow', () => {
  expectTypeOf<ReturnType<BrainClient['events']['follow']>>().toEqualTypeOf<AsyncIterable<BrainEvent>>()
  expectTypeOf<keyof NonNullable<Parameters<BrainClient['events']['follow']>[0]>>().toEqualTypeOf<
    Common | 'after' | 'newest' | 'types'
  >()
  expectTypeOf<BrainClient['records']>().not.toHaveProperty('follow')
})

test('a run is streamed and waited for, and start alone takes a time to wait', () => {
  expectTypeOf<ReturnType<Client['runs']['stream']>>().toEqualTypeOf<AsyncIterable<RunPart>>()
  expectTypeOf<keyof NonNullable<Parameters<Client['runs']['stream']>[1]>>().toEqualTypeOf<Common | 'after'>()
  expectTypeOf<OptionNames<Client['runs']['start']>>().toEqualTypeOf<Common | 'idempotencyKey' | 'wait'>()
  expectTypeOf<OptionNames<Client['runs']['cancel']>>().toEqualTypeOf<Common>()
  expectTypeOf<ReturnType<Client['runs']['wait']>>().resolves.toEqualTypeOf<{ run: Run }>()
})

test('brain binds the handle, so that nothing under it takes one', () => {
  expectTypeOf<Client['brain']>().toEqualTypeOf<(handle: string) => BrainClient>()
  expectTypeOf<Client>().not.toHaveProperty('records')
})
