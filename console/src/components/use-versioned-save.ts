import { ConflictError, NotFoundError } from '@noema/sdk/errors.ts'
import { useRef, useState } from 'react'

type Versioned = { version: number }

type Given<Item> = {
  /** The item that the form was opened with. */
  opened: Item
  /** Reads it as it is now. */
  read: () => Promise<Item>
}

/** True if the service refused a change because of a newer version. */
export const isStaleVersion = (error: unknown): boolean =>
  error instanceof ConflictError && error.code === 'stale_version'

const isGone = (error: unknown): boolean => error instanceof NotFoundError

/** Nothing was saved, because someone else saved another version meanwhile. */
export class TakenVersion extends Error {
  override name = 'TakenVersion'
}

/** The version that someone else saved meanwhile; `current` is undefined once it is deleted. */
type Theirs<Item> = { current: Item | undefined }

/**
 * Saves a form on top of the version that it was opened with. If there is a newer one, `save` throws a `TakenVersion`, and `theirs` has
 * it; once it was shown, a save goes on top of it.
 */
export const useVersionedSave = <Item extends Versioned>({ opened, read }: Given<Item>) => {
  const [base] = useState(opened)
  const seen = useRef(opened.version)
  const [theirs, setTheirs] = useState<Theirs<Item>>()
  const find = async (): Promise<Theirs<Item>> => {
    try {
      return { current: await read() }
    } catch (error) {
      if (isGone(error)) return { current: undefined }
      throw error
    }
  }
  const save = async (write: (version: number) => Promise<unknown>): Promise<void> => {
    try {
      await write(seen.current)
    } catch (error) {
      if (!isStaleVersion(error)) throw error
      const found = await find()
      seen.current = found.current?.version ?? 0
      setTheirs(found)
      throw new TakenVersion('Someone else saved another version.', { cause: error })
    }
  }
  return { base, theirs, save }
}
