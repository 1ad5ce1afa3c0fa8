// The hashes of passwords.

/** Hashes passwords, and compares them with their hashes. */
export type Passwords = {
  hash(password: string): Promise<string>
  verify(given: { hash: string; password: string }): Promise<boolean>
}

// On first use: Better Auth takes a third of a second to load.
const loadCrypto = () => import('better-auth/crypto')

/** Better Auth's scrypt. No setting weakens it; only tests give an app something cheaper. */
export const scryptPasswords: Passwords = {
  hash: async (password) => (await loadCrypto()).hashPassword(password),
  verify: async (given) => (await loadCrypto()).verifyPassword(given),
}
