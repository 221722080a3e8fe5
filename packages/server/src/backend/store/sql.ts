type Value = string | number | boolean | null | Uint8Array | readonly (string | number | null)[]

/** A statement, or a part of one, with its values. `Row` is the type of its rows. */
export class Statement<Row = unknown> {
  declare readonly row: Row
  readonly values: readonly Value[]
  readonly #texts: readonly string[]

  constructor(texts: readonly string[], values: readonly Value[]) {
    this.#texts = texts
    this.values = values
  }

  /** @param placeholderOf the placeholder of a value, counted from 1 */
  text(placeholderOf: (number: number) => string): string {
    return this.#texts.reduce((text, next, index) => `${text}${placeholderOf(index)}${next}`)
  }

  /** Joins strings and parts alternately; parts are values or statements. */
  static of<Row>(texts: readonly string[], parts: readonly (Value | Statement)[]): Statement<Row> {
    const all = [texts[0]!]
    const values: Value[] = []
    for (const [index, part] of parts.entries()) {
      if (part instanceof Statement) {
        all.push(all.pop()! + part.#texts[0]!, ...part.#texts.slice(1))
        values.push(...part.values)
      } else {
        all.push('')
        values.push(part)
      }
      all.push(all.pop()! + texts[index + 1]!)
    }
    return new Statement(all, values)
  }
}

/** A statement. Interpolated inputs become values, never text. */
export function sql<Row = unknown>(
  texts: TemplateStringsArray,
  ...parts: readonly (Value | Statement)[]
): Statement<Row> {
  return Statement.of(texts, parts)
}

/** SQL text from the code, never from outside. */
export function rawSql(text: string): Statement {
  return new Statement([text], [])
}

export function joinSql(statements: readonly Statement[], separator: string): Statement {
  if (statements.length === 0) return rawSql('')
  const texts = ['', ...statements.slice(1).map(() => separator), '']
  return Statement.of(texts, statements)
}
