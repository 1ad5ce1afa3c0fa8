// The knowledge of a team that runs a web shop about its systems: services that depend on each other, teams, incidents and
// runbooks.

export const teams = [
  { id: 'storefront', name: 'Storefront', mission: 'Pages, search and the cart: what customers see.' },
  { id: 'payments', name: 'Payments', mission: 'Money in and out, and proof of both.' },
  { id: 'fulfilment', name: 'Fulfilment', mission: 'From a paid order to a parcel at the door.' },
  { id: 'identity', name: 'Identity', mission: 'Accounts, sessions and permissions.' },
  { id: 'data', name: 'Data', mission: 'Events, reports and the warehouse.' },
  { id: 'platform', name: 'Platform', mission: 'Clusters, queues, databases and delivery.' },
] as const

/** id, name, team, tier, language, what it depends on, and the day of its next certificate or contract. */
export const services = [
  ['web', 'Web frontend', 'storefront', 1, 'TypeScript', ['gateway', 'cdn'], '2031-02-11'],
  ['gateway', 'API gateway', 'platform', 1, 'Go', ['sessions', 'cart', 'catalog', 'search', 'orders'], '2031-01-20'],
  ['cdn', 'Content delivery', 'platform', 2, 'Configuration', ['images'], '2031-05-30'],
  ['catalog', 'Catalog', 'storefront', 1, 'TypeScript', ['catalog-db', 'events'], '2031-03-04'],
  ['search', 'Product search', 'storefront', 2, 'Rust', ['catalog', 'search-index'], '2031-03-18'],
  ['recommendations', 'Recommendations', 'data', 3, 'Python', ['events', 'catalog'], '2031-08-01'],
  ['cart', 'Cart', 'storefront', 1, 'TypeScript', ['catalog', 'prices', 'cart-cache'], '2031-04-02'],
  ['prices', 'Prices', 'storefront', 1, 'Go', ['catalog-db', 'taxes'], '2031-02-27'],
  ['taxes', 'Taxes', 'payments', 2, 'Go', [], '2031-01-02'],
  ['orders', 'Orders', 'fulfilment', 1, 'Java', ['orders-db', 'payments', 'stock', 'events'], '2031-06-15'],
  ['payments', 'Payments', 'payments', 1, 'Java', ['payments-db', 'ledger', 'fraud', 'card-network'], '2031-01-09'],
  ['ledger', 'Ledger', 'payments', 1, 'Java', ['payments-db', 'events'], '2031-07-07'],
  ['fraud', 'Fraud scoring', 'payments', 2, 'Python', ['events', 'sessions'], '2031-04-21'],
  ['refunds', 'Refunds', 'payments', 2, 'Java', ['payments', 'orders', 'mail'], '2031-05-12'],
  ['invoices', 'Invoices', 'payments', 3, 'TypeScript', ['ledger', 'documents-store', 'mail'], '2031-09-30'],
  ['stock', 'Stock', 'fulfilment', 1, 'Go', ['stock-db', 'events'], '2031-03-25'],
  ['warehouse', 'Warehouse control', 'fulfilment', 2, 'Java', ['stock', 'orders', 'labels'], '2031-06-01'],
  ['labels', 'Parcel labels', 'fulfilment', 3, 'TypeScript', ['carriers', 'documents-store'], '2031-02-03'],
  ['carriers', 'Carrier gateway', 'fulfilment', 2, 'Go', [], '2031-01-15'],
  ['tracking', 'Parcel tracking', 'fulfilment', 3, 'TypeScript', ['carriers', 'events', 'mail'], '2031-08-19'],
  ['sessions', 'Sessions', 'identity', 1, 'Rust', ['accounts', 'session-cache'], '2031-02-20'],
  ['accounts', 'Accounts', 'identity', 1, 'TypeScript', ['accounts-db', 'mail'], '2031-05-05'],
  ['permissions', 'Permissions', 'identity', 2, 'Rust', ['accounts', 'accounts-db'], '2031-07-22'],
  ['mail', 'Mail', 'platform', 2, 'Go', ['queue'], '2031-04-14'],
  ['events', 'Event stream', 'platform', 1, 'Java', ['queue'], '2031-03-10'],
  ['queue', 'Message queue', 'platform', 1, 'Erlang', [], '2031-01-28'],
  ['reports', 'Reports', 'data', 3, 'Python', ['events', 'lake'], '2031-10-10'],
  ['lake', 'Data lake', 'data', 2, 'SQL', ['events'], '2031-06-28'],
  ['images', 'Image resizing', 'storefront', 3, 'Rust', ['documents-store'], '2031-09-09'],
  ['documents-store', 'Object storage', 'platform', 1, 'Configuration', [], '2031-02-14'],
  ['catalog-db', 'Catalog database', 'platform', 1, 'PostgreSQL', [], '2031-05-20'],
  ['orders-db', 'Orders database', 'platform', 1, 'PostgreSQL', [], '2031-05-20'],
  ['payments-db', 'Payments database', 'platform', 1, 'PostgreSQL', [], '2031-05-20'],
  ['stock-db', 'Stock database', 'platform', 1, 'PostgreSQL', [], '2031-05-20'],
  ['accounts-db', 'Accounts database', 'platform', 1, 'PostgreSQL', [], '2031-05-20'],
  ['search-index', 'Search index', 'platform', 2, 'Configuration', ['catalog-db'], '2031-07-01'],
  ['cart-cache', 'Cart cache', 'platform', 2, 'Redis', [], '2031-08-08'],
  ['session-cache', 'Session cache', 'platform', 1, 'Redis', [], '2031-08-08'],
  ['card-network', 'Card network', 'payments', 1, 'External', [], '2031-12-31'],
] as const

/** id, title, severity, status, the affected services, the day, and the summary. */
export const incidents = [
  [
    'inc-101',
    'Checkout refused valid cards',
    'high',
    'resolved',
    ['payments', 'fraud'],
    '2029-03-02',
    'A new fraud model scored every card of one bank as stolen. The model was rolled back after 38 minutes.',
  ],
  [
    'inc-102',
    'Search returned discontinued products',
    'medium',
    'resolved',
    ['search', 'search-index'],
    '2029-03-19',
    'The index was rebuilt from a copy of the catalog that was three days old.',
  ],
  [
    'inc-103',
    'Orders were accepted without stock',
    'high',
    'resolved',
    ['orders', 'stock'],
    '2029-04-07',
    'Stock fell back to its cache when its database was slow, and the cache had no upper age.',
  ],
  [
    'inc-104',
    'Sign-in was slow for an hour',
    'medium',
    'resolved',
    ['sessions', 'session-cache'],
    '2029-04-23',
    'The session cache ran out of memory because expired sessions were kept for a week.',
  ],
  [
    'inc-105',
    'Labels of one carrier had no barcode',
    'low',
    'resolved',
    ['labels', 'carriers'],
    '2029-05-11',
    'The carrier changed its API without notice. The gateway now checks every answer against its schema.',
  ],
  [
    'inc-106',
    'The event stream stopped for 12 minutes',
    'high',
    'resolved',
    ['events', 'queue'],
    '2029-06-01',
    'A node of the queue had a full disk. Consumers resumed at their cursors and nothing was lost.',
  ],
  [
    'inc-107',
    'Refunds were sent twice',
    'high',
    'resolved',
    ['refunds', 'payments'],
    '2029-06-18',
    'A retry had no idempotency key. 14 customers were refunded twice.',
  ],
  [
    'inc-108',
    'Prices without tax on product pages',
    'medium',
    'resolved',
    ['prices', 'taxes', 'web'],
    '2029-07-05',
    'Taxes answered 503 and prices treated the error as zero.',
  ],
  [
    'inc-109',
    'Images were missing after a deployment',
    'low',
    'resolved',
    ['images', 'cdn'],
    '2029-07-29',
    'The delivery network cached 404 answers for a day.',
  ],
  [
    'inc-110',
    'Parcel tracking shows yesterday',
    'low',
    'open',
    ['tracking', 'events'],
    '2029-08-14',
    'Tracking reads the stream slower than carriers write to it.',
  ],
  [
    'inc-111',
    'Orders database near its connection limit',
    'medium',
    'open',
    ['orders-db', 'orders', 'warehouse'],
    '2029-08-20',
    'Warehouse control opens a connection for each scanner.',
  ],
  [
    'inc-112',
    'Password emails arrive late',
    'medium',
    'open',
    ['mail', 'accounts', 'queue'],
    '2029-08-22',
    'Newsletters and password emails share one queue.',
  ],
] as const

export const runbooks = [
  {
    id: 'runbooks/payments.md',
    title: 'Payments: when cards are refused',
    text: `# Payments: when cards are refused

A rise of refused cards is either the **card network**, our **fraud scoring**, or an expired certificate. Find out which
before you change anything.

## First five minutes

1. Open the board *Payments / refusals*. A rise for one bank points to the network; a rise for all points to us.
2. Compare the fraud score with yesterday. If its median moved by more than 0.1, roll the model back: \`fraud rollback\`.
3. Check the certificate of the card network. It is renewed **every January**, by the payments team.

| Sign | Cause | What to do |
| --- | --- | --- |
| One bank refuses | Card network | Post to the status page, wait |
| All banks, score moved | Fraud model | Roll back, then open an incident |
| All banks, score same | Certificate | Renew, restart two nodes at a time |

> Never raise the fraud threshold to let payments through. In incident 101 it would have cost more than the outage.

## Afterwards

- Refunds that were stuck are sent again by their idempotency key, never by hand.
- The ledger must balance within an hour. If it does not, stop payouts.
`,
  },
  {
    id: 'runbooks/events.md',
    title: 'Event stream: consumers that fall behind',
    text: `# Event stream: consumers that fall behind

Every consumer stores the cursor of the last event that it handled. A consumer that stops loses nothing: it continues at
its cursor.

## Is it one consumer or all?

- **One**: its own work is slow. Look at its database first.
- **All**: the queue is slow. Check the disks of its nodes; a full disk stopped the stream in incident 106.

## Catching up

1. Add consumers, up to the number of partitions (24).
2. Turn off optional consumers: recommendations, then reports.
3. Do not skip events. Orders and stock depend on each of them.
`,
  },
  {
    id: 'runbooks/stock.md',
    title: 'Stock: reserving and releasing',
    text: `# Stock: reserving and releasing

An item is reserved when the cart becomes an order, and released after **30 minutes** without a payment.

Stock answers from its cache for at most **60 seconds** when its database is slow. Older answers are refused, so that
orders without stock, as in incident 103, cannot happen again.
`,
  },
  {
    id: 'runbooks/sign-in.md',
    title: 'Sign-in: sessions and their cache',
    text: `# Sign-in: sessions and their cache

Sessions live for 14 days and are renewed once a day. The cache evicts the oldest first.

- *All customers are signed out*: the cache was restarted. Sessions are read from the accounts database again; expect load.
- *Sign-in is slow*: check the memory of the cache before the accounts database.
`,
  },
  {
    id: 'guides/on-call.md',
    title: 'On call',
    text: `# On call

The engineer on call answers within **fifteen minutes**. The rota changes every Monday at nine.

## Handing over

Write down what is open, and note for the next team where you stopped. An incident without an owner goes to Platform.

## Severities

| Severity | Means | Answer within |
| --- | --- | --- |
| high | Customers cannot buy, or money is wrong | 15 minutes, day and night |
| medium | Something is slow or late | 1 hour, day and night |
| low | Customers can still buy | the next working day |
`,
  },
  {
    id: 'guides/tiers.md',
    title: 'Tiers of services',
    text: `# Tiers of services

- **Tier 1**: customers cannot buy without it. Two regions, an error budget of 0.05 %.
- **Tier 2**: customers notice. One region, an error budget of 0.5 %.
- **Tier 3**: customers do not notice for a day.

A service may depend on its own tier or a lower number only. Exceptions are written down as decisions.
`,
  },
] as const
