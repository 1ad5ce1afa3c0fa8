import { unavailable } from './errors.ts'

/** Takes a place and answers how to leave it; throws `unavailable` where none is free. */
export type TakeSlot = () => () => void

/** Places for work that holds a database connection for long, so that it leaves enough of them to everything else. */
export const createSlots = (places: number, what: string): TakeSlot => {
  let taken = 0
  return () => {
    if (taken >= places)
      throw unavailable(`This node runs ${taken} ${what} already. Try again when one has ended.`, {
        retryAfterSeconds: 10,
      })
    taken++
    let isHere = true
    return () => {
      if (isHere) taken--
      isHere = false
    }
  }
}
