import type { ReactNode } from 'react'
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { readUser, type User } from './auth.ts'
import { rememberVisit } from './remembered.ts'

type Known = { status: 'loading' } | { status: 'failed'; error: unknown } | { status: 'known'; user: User | undefined }

/** The known account state, and how to refresh it. */
export type Account = Known & { refresh: () => Promise<User | undefined> }

const AccountContext = createContext<Account | undefined>(undefined)

export const AccountProvider = ({ children }: { children: ReactNode }) => {
  const [known, setKnown] = useState<Known>({ status: 'loading' })
  const refresh = useCallback(async () => {
    try {
      const user = await readUser()
      if (user) rememberVisit()
      setKnown({ status: 'known', user })
      return user
    } catch (error) {
      setKnown({ status: 'failed', error })
      return undefined
    }
  }, [])
  useEffect(() => {
    void refresh()
  }, [refresh])
  const account = useMemo(() => ({ ...known, refresh }), [known, refresh])
  return <AccountContext value={account}>{children}</AccountContext>
}

export const useAccount = (): Account => {
  const account = useContext(AccountContext)
  if (!account) throw new Error('useAccount must be used inside AccountProvider.')
  return account
}
