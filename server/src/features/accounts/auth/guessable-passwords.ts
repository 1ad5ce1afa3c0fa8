// The passwords that attackers try first. The list is short on purpose: with few attempts, only the most common ones are worth a
// guess. All have at least the minimum length.

const common = new Set(
  `password passw0rd p@ssw0rd p@ssword passwort motdepasse contraseña password1 password12 password123 password1234 password!
  qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 1qaz2wsx 1q2w3e4r 1q2w3e4r5t zaq12wsx qazwsxedc asdfghjk asdfghjkl
  azertyui azertyuiop qwertzui abcd1234 abc12345 a1b2c3d4 aa123456 a1234567 abcdefgh abcdefghi 11112222 11223344 12341234
  12344321 12121212 123123123 123321123 147258369 159753456 987654321 87654321 iloveyou iloveyou1 ilovegod sunshine
  princess football baseball basketball superman batman123 trustno1 starwars whatever computer internet jennifer
  michelle jonathan welcome1 welcome123 letmein1 letmein123 changeme changeme1 changeme123 admin123 admin1234 administrator
  adminadmin rootroot test1234 testtest testing123 guest123 default1 secret123 secretsecret passpass password0 master123
  dragon123 monkey123 shadow123 charlie1 pokemon1 liverpool chelsea1 arsenal1 manchester hello123 hellohello computer1
  samsung1 google123 facebook linkedin noema123 noemanoema`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

/** Checks whether each character follows from the previous one by the same step: aaaaaaaa, 12345678, hgfedcba. */
const isRun = (text: string): boolean => {
  const step = text.charCodeAt(1) - text.charCodeAt(0)
  if (Math.abs(step) > 1) return false
  // After 9 comes 0, as on a keyboard.
  const follows = (index: number) => {
    const [last, next] = [text.charCodeAt(index - 1), text.charCodeAt(index)]
    return next - last === step || (step === 1 && last === 57 && next === 48)
  }
  return Array.from(text).every((_character, index) => index === 0 || follows(index))
}

/** Checks whether a password is very common, or the account's own name. */
export const isGuessable = (password: string, names: readonly string[]): boolean => {
  const plain = password.toLowerCase()
  const own = names.flatMap((name) => [name, name.split('@')[0] ?? '']).map((name) => name.trim().toLowerCase())
  return plain.trim() === '' || common.has(plain) || isRun(plain) || own.includes(plain)
}
