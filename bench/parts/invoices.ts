// The records that are written: some 200 bytes of fields each.

export const makeInvoice = (index: number) => ({
  kind: 'invoice',
  fields: {
    number: `INV-2026-${String(index).padStart(6, '0')}`,
    customer: `Customer number ${index} of the northern region`,
    amount: 1234.5 + index,
    currency: 'EUR',
    status: index % 3 === 0 ? 'paid' : 'open',
    note: 'Sent by mail; payable within thirty days.',
  },
})

/** Bodies of writes of one record each. */
export const invoiceBodies = Array.from({ length: 64 }, (_, index) => JSON.stringify(makeInvoice(index)))

/** The body of a batch that creates so many records. */
export const makeBatch = (size: number) => ({
  operations: Array.from({ length: size }, (_, index) => ({ op: 'record.create', ...makeInvoice(index) })),
})
