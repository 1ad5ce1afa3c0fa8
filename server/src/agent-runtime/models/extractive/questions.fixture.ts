// Questions with known answers, written before the model that answers them: over the documentation of packages that this
// workspace installs, and over a Brain of orders. The first quote of an answer, or its count, has to have what is expected.

/** A question. `expected` is null where nothing answers, and the only right answer is that none was found. */
export type Question = { brain: 'fastify' | 'undici' | 'pino' | 'orders'; question: string; expected: RegExp | null }

const ask =
  (brain: Question['brain']) =>
  (question: string, expected: RegExp | null): Question => ({ brain, question, expected })

const [fastify, undici, pino, orders] = [ask('fastify'), ask('undici'), ask('pino'), ask('orders')]

/** An order of the Brain of orders. */
export type Order = {
  orderId: string
  customer: string
  city: string
  status: 'paid' | 'late' | 'shipped' | 'cancelled'
  total: number
  orderedOn: string
  shippedOn: string | null
}

const customers = ['Alder Foods', 'Birch Books', 'Cedar Tools', 'Dogwood Dental', 'Elm Electric'] as const
const cities = ['Lyon', 'Porto', 'Ghent', 'Turin'] as const
const statuses = ['paid', 'late', 'shipped', 'paid', 'cancelled', 'shipped', 'paid'] as const

const pick = <Item>(items: readonly [Item, ...Item[]], index: number): Item => items[index % items.length] ?? items[0]

const toDay = (day: number): string => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)

const makeOrder = (index: number): Order => {
  const status = pick(statuses, index)
  return {
    orderId: `ORD-${10_001 + index}`,
    ...{ customer: pick(customers, index * 3), city: pick(cities, index), status, total: 40 + 7 * index },
    orderedOn: toDay(index),
    shippedOn: status === 'shipped' ? toDay(index + 3) : null,
  }
}

/** Sixty orders, the same each time. */
export const orderList: readonly Order[] = Array.from({ length: 60 }, (_, index) => makeOrder(index))

const find = (number: number): Order => makeOrder(number - 10_001)
const count = (isRequested: (order: Order) => boolean): RegExp =>
  new RegExp(`(?<!\\d)${orderList.filter(isRequested).length}(?!\\d)`)

export const questions: readonly Question[] = [
  fastify('What is the default of bodyLimit?', /1048576/),
  fastify('What is the default value of keepAliveTimeout?', /72000/),
  fastify('How do I close the server?', /fastify\.close\(/),
  fastify('What is a decorator?', /customizes core Fastify objects|attach any type of property|add .*properties/),
  fastify('How are plugins encapsulated?', /encapsulation context|new (?:Fastify )?(?:scope|context)/),
  fastify('What does FST_ERR_HOOK_TIMEOUT mean?', /A callback for a hook timed out/),
  fastify('How do I fix FST_ERR_DEC_ALREADY_PRESENT?', /Use a different decorator name/),
  fastify('When was version 4.0.0 released?', /2022-06-08/),
  fastify('When is the onTimeout hook executed?', /executed when a request is timed out/),
  fastify('What does reply.hijack() do?', /prevent Fastify from sending|halt the execution|claims full responsibility/),
  fastify('How can I test a route with a fake HTTP request?', /inject/),
  fastify('Which status code is returned when handlerTimeout expires?', /503/),
  fastify('What are the possible values of onProtoPoisoning?', /'error', 'remove', or 'ignore'/),
  fastify('How do I deploy to Kubernetes with Helm?', null),
  fastify('What is the default of maxUploadSize?', null),
  undici('What is the default of bodyTimeout?', /300e3|300s|300 seconds/),
  undici('How many times does the RetryHandler retry by default?', /5/),
  undici('What is a MockAgent?', /intercepts HTTP requests/),
  undici('Which environment variables does EnvHttpProxyAgent read?', /http_proxy/),
  undici('When is UND_ERR_CONNECT_TIMEOUT thrown?', /could not be established before the connection timeout/),
  undici('What is the default user agent of undici?', /'undici'/),
  undici('How do I open a gRPC stream?', null),
  pino('What is the default log level?', /info/),
  pino('What does depthLimit do?', /Maximum nesting depth/),
  pino('What is the default of censor?', /\[Redacted\]/),
  pino('What is recommended for AWS Lambda?', /sync: true/),
  pino('Which tool is recommended for log rotation?', /logrotate/),
  pino('How long is a major release supported?', /six months/),
  orders('What is the status of order ORD-10007?', new RegExp(`status: ${find(10_007).status}`)),
  orders('Which customer placed order ORD-10012?', new RegExp(`customer: ${find(10_012).customer}`)),
  orders('When was order ORD-10003 shipped?', new RegExp(`shippedOn: ${find(10_003).shippedOn}`)),
  orders('What is the total of ORD-10021?', new RegExp(`total: ${find(10_021).total}`)),
  orders('To which city does ORD-10030 go?', new RegExp(`city: ${find(10_030).city}`)),
  orders(
    'How many orders are there?',
    count(() => true),
  ),
  orders(
    'How many orders are late?',
    count(({ status }) => status === 'late'),
  ),
  orders(
    'How many orders of Alder Foods are paid?',
    count(({ customer, status }) => customer === 'Alder Foods' && status === 'paid'),
  ),
  orders(
    'How many orders go to Lyon?',
    count(({ city }) => city === 'Lyon'),
  ),
  orders('What is the status of order ORD-99999?', null),
  orders('How many orders were refunded?', null),
  orders('Who approved order ORD-10007?', null),
]
