import { useState } from 'react'

/**
 * The version of a thing that a person opened and works on, while others change the thing. It stays until the person asks for the
 * current one by `reopen`. Facts outside the version, such as a warning, follow the live value.
 */
export const useOpenedVersion = <Value>(live: Value, toVersion: (value: Value) => string | number) => {
  const [opened, setOpened] = useState<Value | undefined>(live)
  const isSame = opened === undefined || toVersion(live) === toVersion(opened)
  if (isSame && opened !== live) setOpened(live)
  return { opened: isSame ? live : opened, isMoved: !isSame, reopen: () => setOpened(undefined) }
}
