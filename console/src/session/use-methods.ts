import { useEffect, useState } from 'react'
import { type Methods, readMethods } from './ways-in.ts'

// They are the settings of the service, so they are asked for once.
let asked: Promise<Methods> | undefined

const askOnce = (): Promise<Methods> => {
  asked ??= readMethods().catch(() => {
    asked = undefined
    // What nearly every service has: whoever cannot be asked refuses the rest in its own words.
    return { password: true, passkey: false, provider: undefined, signUp: 'open' as const }
  })
  return asked
}

/** By what people sign in here; undefined until it is known. */
export const useMethods = (): Methods | undefined => {
  const [methods, setMethods] = useState<Methods>()
  useEffect(() => {
    void askOnce().then(setMethods)
  }, [])
  return methods
}
