const maxNamed = 20

/**
 * A field that an outputSchema requires and the Brains lack. The run fails with the category `validation`: asking again would not
 * change what the Brains hold.
 */
export class MissingEvidence extends Error {
  override name = 'MissingEvidence'
  /** The required fields without evidence, as paths with points: `customer.name`. */
  readonly fields: readonly string[]

  constructor(fields: readonly string[]) {
    const named = fields.slice(0, maxNamed).join(', ')
    const more = fields.length > maxNamed ? ` and ${fields.length - maxNamed} more` : ''
    super(
      `Nothing that was found says what these fields of the output are: ${named}${more}. noema/extractive fills a field only with what a record, statement or document says. Write that into the Brain, or do not require the field.`,
    )
    this.fields = fields
  }
}
