import { sql, type Transaction } from 'kysely'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import { fromText } from '../postgres/text.ts'
import type { MovedColumn, TargetTable, Value } from './moved-tables.ts'

/** Inserts rows in one statement, also into columns that are numbered by themselves. */
export async function insertRows(
  transaction: Transaction<unknown>,
  { into, columns }: TargetTable,
  rows: readonly (readonly Value[])[],
  box: SecretBox,
): Promise<void> {
  if (rows.length === 0) return
  const labelAt = columns.map(({ sealedUnder }) =>
    columns.findIndex(({ name }) => name === sealedUnder),
  )
  const stored = (row: readonly Value[], index: number): Value => {
    const [value, label] = [row[index]!, row[labelAt[index]!]]
    if (label === undefined || value === null) return value
    return box.seal(String(value), fromText(String(label)))
  }
  const arrays = columns.map(
    ({ type }, index) => sql`${rows.map((row) => stored(row, index))}::${sql.raw(type)}[]`,
  )
  await sql`INSERT INTO ${sql.id(into)} (${namesOf(columns)}) OVERRIDING SYSTEM VALUE
    SELECT * FROM unnest(${sql.join(arrays)})`.execute(transaction)
}

export function namesOf(columns: readonly MovedColumn[]) {
  return sql.join(columns.map(({ name }) => sql.ref(name)))
}
