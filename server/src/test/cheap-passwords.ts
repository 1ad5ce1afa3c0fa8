import { hash } from 'node:crypto'
import type { Passwords } from '../features/accounts/auth/passwords.ts'

const toHash = (password: string): string => `sha256:${hash('sha256', password, 'hex')}`

/** Passwords by one SHA-256: scrypt takes a tenth of a second of processor time, and tests sign up some thousand people. */
export const cheapPasswords: Passwords = {
  hash: async (password) => toHash(password),
  verify: async (given) => given.hash === toHash(given.password),
}
