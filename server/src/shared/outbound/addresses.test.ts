import { expect, test } from 'vitest'
import { isPublicAddress } from './addresses.ts'
import { allow as parseAll } from './servers.fixture.ts'
import { isLoopback, parseAllowed, parseTarget, type Rules } from './targets.ts'

const words = (text: string) => text.trim().split(/\s+/)

const notPublic = words(`
  0.0.0.0 0.0.0.1 0.1.2.3 0.255.255.255
  10.0.0.0 10.0.0.1 10.1.2.3 10.255.255.255
  100.64.0.0 100.64.0.1 100.100.100.200 100.127.255.255
  127.0.0.0 127.0.0.1 127.0.0.53 127.1.2.3 127.255.255.255
  169.254.0.0 169.254.0.1 169.254.169.254 169.254.170.2 169.254.169.123 169.254.255.255
  172.16.0.0 172.16.0.1 172.20.10.1 172.31.255.255
  192.0.0.0 192.0.0.1 192.0.0.170 192.0.0.192 192.0.0.255 192.0.2.0 192.0.2.1 192.0.2.255
  192.31.196.1 192.52.193.1 192.88.99.0 192.88.99.1 192.88.99.255 192.175.48.1
  192.168.0.0 192.168.0.1 192.168.1.1 192.168.255.255
  198.18.0.0 198.18.0.1 198.19.255.255 198.51.100.0 198.51.100.7 203.0.113.0 203.0.113.9 203.0.113.255
  224.0.0.0 224.0.0.1 232.1.2.3 239.255.255.250 239.255.255.255
  240.0.0.0 240.0.0.1 250.1.2.3 255.0.0.0 255.255.255.254 255.255.255.255 168.63.129.16
  :: ::1 ::2 ::7f00:1 ::127.0.0.1 ::8.8.8.8 ::ffff:0:0
  ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe ::ffff:8.8.8.8 0:0:0:0:0:ffff:c0a8:101
  ::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8
  64:ff9b::7f00:1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::8.8.8.8 64:ff9b:1::1 64:ff9b:1:fffe::a00:1
  100:: 100::1 100:0:0:1::1 200::1 400::1 1000::1 4000::1 5f00::1 8000::1 a000::1 c000::1 e000::1 f000::1
  2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1::1 2001:2::1 2001:2:0:ffff::1 2001:3::1 2001:4:112::1
  2001:10::1 2001:20::1 2001:2f::1 2001:30::1 2001:100::1 2001:1ff::1 2001:db8::1 2001:db8:ffff::1
  2002:: 2002:7f00:1:: 2002:a00:1::1 2002:a9fe:a9fe:: 2002:c0a8:101::1 2002:808:808::1
  2620:4f:8000::1 3fff::1 3fff:fff::1
  2606:4700::5efe:7f00:1 2606:4700::200:5efe:a00:1 2606:4700::5efe:8.8.8.8 fe80::5efe:c0a8:101
  fc00::1 fc00:1234::1 fd00::1 fd00:ec2::254 fd12:3456:789a::1 fdff:ffff::1 fd20:ce::254
  fe80:: fe80::1 fe80::a9fe:a9fe febf::1 fec0::1 feff::1 fe80::1%eth0 2606:4700::1%1
  ff00::1 ff01::1 ff02::1 ff02::fb ff05::2 ff0e::1 ffff::1
`)
const open = words(`
  1.0.0.1 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 99.255.255.255 100.63.255.255 100.128.0.0 126.255.255.255
  128.0.0.0 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0
  192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0
  203.0.112.255 203.0.114.0 223.255.255.255 2001:200::1 2001:4860:4860::8888 2003::1 2400:cb00::1 2606:4700:4700::1111
  2620:0:2d0:200::7 2a00:1450:4001::200e 2c0f:fb50:4002::1 3ffe:ffff::1
`)

test('D-67 WHK-02 only addresses of the public internet pass', () => {
  expect(notPublic.length + open.length).toBeGreaterThan(180)
  expect(notPublic.filter(isPublicAddress)).toEqual([])
  expect(open.filter((address) => !isPublicAddress(address))).toEqual([])
  for (const text of ['', '1.2.3', '1.2.3.4.5', 'example.com', '[::1]', ' 1.1.1.1', '8.8.8.8/32'])
    expect(isPublicAddress(text)).toBe(false)
})

const refused = [
  // Loopback and private addresses in every spelling that a URL parser takes.
  ...words(`
  https://127.0.0.1/ https://127.1/ https://127.0.1/ https://2130706433/ https://0x7f000001/ https://0x7f.1/ https://0x7f.0x0.0x0.0x1/
  https://017700000001/ https://0177.0.0.1/ https://0177.0.0.01/ https://0177.1/ https://127.0.0.1./ https://127.0.0.01/
  https://0/ https://0.0.0.0/ https://0x0/ https://00000/ https://0.0/ https://10.1/ https://0xa000001/ https://167772161/ https://012.0.0.1/
  https://192.168.1/ https://0xc0a80101/ https://3232235777/ https://0300.0250.1.1/ https://172.16.1/ https://2886729729/
  https://169.254.169.254/latest/meta-data/ https://0xa9fea9fe/ https://2852039166/ https://0251.0376.0251.0376/ https://169.254.43518/
  https://169.254.169.254:443/ https://100.100.100.200/ https://192.0.0.192/ https://168.63.129.16/ https://[fd00:ec2::254]/
  https://[::]/ https://[::1]/ https://[0:0:0:0:0:0:0:1]/ https://[::ffff:127.0.0.1]/ https://[::ffff:7f00:1]/ https://[::127.0.0.1]/
  https://[64:ff9b::127.0.0.1]/ https://[2002:7f00:1::]/ https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/ https://[fe80::1]/
  https://[fe80::1%25eth0]/ https://[fe80::1%eth0]/ https://[::1]:8443/ https://[::1%251]/ https://[2606:4700::5efe:7f00:1]/
  https://１２７.０.０.１/ https://①②⑦.⓪.⓪.①/ https://127。0。0。1/ https://１６９.２５４.１６９.２５４/ https://127.0.0.1%2f/ https://%31%32%37.0.0.1/
  https://127.0.0.1:65535/ https://127.0.0.1%00.hooks.noema.dev/ https://256.1.1.1/ https://1.2.3.4.5/ https://0x100000000/ https://4294967296/`),
  // Names that are local, or lead to metadata.
  ...words(`
  https://localhost/ https://LOCALHOST/ https://localhost./ https://localhost:8443/ https://a.localhost/ https://localhost.localdomain/
  https://ｌｏｃａｌｈｏｓｔ/ https://loc%61lhost/ https://ⓛocalhost/ https://lo­calhost/ https://receiver/ https://receiver.local/ https://printer.LOCAL/
  https://metadata/ https://metadata.google.internal/ https://METADATA.google.internal./ https://instance-data/ https://instance-data.ec2.internal/
  https://kubernetes.default.svc.cluster.local/ https://db.internal/ https://vault.corp/ https://nas.home/ https://nas.lan/ https://router.home.arpa/
  https://1.0.0.127.in-addr.arpa/ https://wiki.intranet/ https://x.private/ https://abc.onion/ https://x.test/ https://x.example/ https://x.invalid/ https://x.alt/
  https://hooks.noema.dev./ https://hooks..noema.dev/ https://.noema.dev/ https://-hooks.noema.dev/ https://hooks-.noema.dev/ https://hooks.noema.dev../
  https://hooks,noema.dev/ https://hooks!.noema.dev/ https://h*ks.noema.dev/ https://com/`),
  // URLs that hide their host, or are no https URLs.
  ...words(`
  https://user@hooks.noema.dev/ https://user:secret@hooks.noema.dev/ https://:secret@hooks.noema.dev/ https://@hooks.noema.dev/ https://:@hooks.noema.dev/
  https://hooks.noema.dev@127.0.0.1/ https://hooks.noema.dev%40127.0.0.1/ https://hooks.noema.dev:443@127.0.0.1/ https://127.0.0.1@hooks.noema.dev/
  https:\\\\127.0.0.1/ https://hooks.noema.dev\\@127.0.0.1/ https:/\\127.0.0.1/ https:hooks.noema.dev https:/hooks.noema.dev/ https:///hooks.noema.dev/ //hooks.noema.dev/
  http://hooks.noema.dev/ http://1.1.1.1/ http://127.0.0.1/ ftp://hooks.noema.dev/ file:///etc/passwd gopher://127.0.0.1/ data:text/plain,x javascript:alert(1)
  ws://hooks.noema.dev/ wss://hooks.noema.dev/ unix:/run/docker.sock hooks.noema.dev hooks.noema.dev/path https:// https https://? https://# https://:443/
  https://hooks.noema.dev:0/ https://hooks.noema.dev:65536/ https://hooks.noema.dev:x/ https://hooks.noema.dev:-1/ https://[::1/ https://[]/ https://[1.1.1.1]/ https://[::g]/`),
  ...[
    '',
    ' ',
    'https://hooks.noema.dev/ ',
    ' https://hooks.noema.dev/',
    'https://hooks.noema.dev/a b',
    'https://ho\toks.noema.dev/',
  ],
  ...[
    'https://hooks.noema.dev/\n',
    'https://127.0.0.1\u0000.noema.dev/',
    'https://hooks.noema.dev/\u202e',
    `https://hooks.noema.dev/${'a'.repeat(2048)}`,
  ],
  ...[`https://${'a'.repeat(64)}.noema.dev/`, `https://${'abcdefg.'.repeat(32)}dev/`],
]
const accepted = words(`
  https://hooks.noema.dev https://hooks.noema.dev/ https://hooks.noema.dev:443/ https://hooks.noema.dev:8443/ https://hooks.noema.dev:65535/x
  https://HOOKS.Noema.dev/ https://hooks.noema.dev/path?token=1&b=%20#fragment https://hooks.noema.dev/@somebody https://hooks.noema.dev/?a=b@c
  https://example.com/ https://a.b.c.d.e.example.org/ https://localhost.noema.dev/ https://internal.noema.dev/ https://10.noema.dev/ https://1.1.1.1.noema.dev/
  https://my_host.noema.dev/ https://münchen.de/ https://xn--mnchen-3ya.de/ https://ｈooks.noema.dev/ https://日本語.jp/ https://a.co/ https://x-y.noema.dev/
  https://1.1.1.1/ https://8.8.8.8:8443/ https://0x08080808/ https://134744072/ https://[2606:4700:4700::1111]/ https://[2606:4700:4700::1111]:8443/x https://①.1.1.1/
`)

const toRules = (allow: readonly string[], ports: readonly number[] = []): Rules => ({
  allow: parseAll(...allow),
  ports,
  setting: 'NOEMA_WEBHOOK_ALLOW',
})
const allowNothing = toRules([])
const isRefused = (url: string, rules = allowNothing) => {
  try {
    parseTarget(url, rules)
    return false
  } catch {
    return true
  }
}

test('D-67 WHK-02 a URL that is not https, has no public host, or hides its target is refused', () => {
  expect(refused.length + accepted.length).toBeGreaterThan(180)
  expect(refused.filter((url) => !isRefused(url))).toEqual([])
  expect(accepted.filter((url) => isRefused(url))).toEqual([])
  for (const [url, entry] of [
    ['http://127.0.0.1:9/', '127.0.0.1:9'],
    ['http://localhost/', 'localhost:80'],
    ['https://[::1]/', '[::1]:443'],
  ] as const)
    expect(() => parseTarget(url, allowNothing)).toThrow(`can allow it by adding ${entry} to NOEMA_WEBHOOK_ALLOW`)
})

test('D-67 any port may be called unless the settings narrow them', () => {
  const rules = toRules(['127.0.0.1:9'], [443, 8443])
  const urls = ['https://hooks.noema.dev/', 'https://hooks.noema.dev:8443/', 'http://127.0.0.1:9/']
  expect(urls.filter((url) => isRefused(url, rules))).toEqual([])
  expect(isRefused('https://1.1.1.1:9/', rules)).toBe(true)
})

test('D-67 hosts and networks that the operator allows on all ports are the only exception, and may be plain HTTP', () => {
  const rules = toRules(['receiver:*', '127.0.0.0/8:*', '[::1]:*', '[fd00::5]:*', 'LOCALHOST:*'])
  const allowed = words(`http://receiver/ https://receiver:8080/x http://127.0.0.1:9/ http://2130706433/ http://[::1]:9/
    http://[fd00::5]/ http://localhost:3000/ http://[::ffff:127.0.0.1]/ https://1.1.1.1/ https://hooks.noema.dev/`)
  expect(allowed.filter((url) => isRefused(url, rules))).toEqual([])
  const others =
    words(`http://10.0.0.1/ https://10.0.0.1/ https://[::2]/ https://[fd00::6]/ http://1.1.1.1/ http://user@receiver/
    ftp://receiver/ http://receiver./ https://169.254.169.254/`)
  expect(others.filter((url) => !isRefused(url, rules))).toEqual([])
})

test('D-67 an entry allows one port, and without one that of https', () => {
  const names = toRules(['ollama:11434', 'receiver'])
  const addresses = toRules(['127.0.0.1:4000', '10.1.0.0/16:8080', '[fd00::5]:80', '::1'])
  const check = (rules: Rules, allowed: string, others: string) => {
    expect(words(allowed).filter((url) => isRefused(url, rules))).toEqual([])
    expect(words(others).filter((url) => !isRefused(url, rules))).toEqual([])
  }
  check(
    names,
    'http://ollama:11434/ https://ollama:11434/ https://receiver/ http://receiver:443/',
    'http://ollama/ https://ollama/ http://ollama:22/ http://receiver/ https://receiver:8443/ http://127.0.0.1:11434/',
  )
  check(
    addresses,
    'http://127.0.0.1:4000/ http://10.1.9.9:8080/ http://[fd00::5]/ https://[::1]/',
    `http://127.0.0.1:4001/ https://127.0.0.1/ http://10.1.9.9/ https://10.1.9.9/ https://[fd00::5]/ http://[::1]/
    http://[::1]:9/ http://receiver:9/`,
  )
})

test('D-67 entries that lead to this machine itself are known', () => {
  const own = parseAll('127.0.0.1:80', '127.9.9.9', '0.0.0.0/0:80', '::1', '[::1]:80', 'localhost:11434', 'a.localhost')
  expect(own.map(isLoopback)).toEqual(own.map(() => true))
  const others = parseAll('10.0.0.0/8', 'localhost.noema.dev', '[fd00::5]:80', 'ollama:11434')
  expect(others.map(isLoopback)).toEqual([false, false, false, false])
})

test('D-67 a text that is neither an address, a network nor a name, or has an invalid port, cannot be allowed', () => {
  const bad =
    words(`10.0.0.0/33 10.0.0 300.1.1.1 * *.noema.dev *:80 http://receiver ::1/129 -a receiver:0 receiver:65536 receiver:x
    receiver: :80 10.0.0.0/33:80 [::1]80 [receiver]:80 fd00::5:* receiver:80:80`)
  expect(['', 'a b', ...bad].filter((text) => parseAllowed(text) !== undefined)).toEqual([])
})
