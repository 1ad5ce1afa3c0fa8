/** One value of an indexed field of a record, in the forms that it is compared in. */
export type IndexEntry = {
  kind: string
  field: string
  value: string
  recordId: string
  text: string | null
  number: number | null
  at: string | null
}
