import { useEffect, useState } from 'react'
import { type Methods, readMethods } from './ways-in.ts'

// They are settings of the service, so they are loaded once.
let asked: Promise<Methods> | undefined

const askOnce = (): Promise<Methods> => {
  asked ??= readMethods().catch(() => {
    asked = undefined
    // The methods of nearly every service. If they cannot be loaded, the service refuses the others itself.
    return { password: true, passkey: false, provider: undefined, signUp: 'open' as const }
  })
  return asked
}

/** The sign-in methods; undefined until they are loaded. */
export const useMethods = (): Methods | undefined => {
  const [methods, setMethods] = useState<Methods>()
  useEffect(() => {
    void askOnce().then(setMethods)
  }, [])
  return methods
}
