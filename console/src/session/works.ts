import { createObservable } from '../observable.ts'

export type Progress = { done?: number; total?: number; text?: string }

export type Work = Progress & {
  id: number
  name: string
  state: 'running' | 'done' | 'failed' | 'cancelled'
  failure?: string
}

/** The background work that the frame of the pages shows. */
export const works = createObservable<readonly Work[]>([])
