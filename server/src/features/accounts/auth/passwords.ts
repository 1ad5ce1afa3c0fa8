import { availableParallelism } from 'node:os'
import { createSemaphore } from '../../../shared/concurrency/semaphore.ts'

// The hashes of passwords.

/** Hashes passwords, and compares them with their hashes. */
export type Passwords = {
  hash(password: string): Promise<string>
  verify(given: { hash: string; password: string }): Promise<boolean>
}

// On first use: Better Auth takes a third of a second to load.
const loadCrypto = () => import('better-auth/crypto')

/**
 * A hash takes a tenth of a second of one of the four threads of libuv's pool, which also compresses answers and resolves names.
 * However many callers sign up, half of the pool and of the processors is left to the others.
 */
const hashing = createSemaphore(availableParallelism() > 2 ? 2 : 1)

/** Better Auth's scrypt. No setting weakens it; only tests give an app something cheaper. */
export const scryptPasswords: Passwords = {
  hash: (password) => hashing.run(async () => (await loadCrypto()).hashPassword(password)),
  verify: (given) => hashing.run(async () => (await loadCrypto()).verifyPassword(given)),
}
