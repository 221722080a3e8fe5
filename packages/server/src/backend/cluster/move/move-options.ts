import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { StoppedData } from '../../stopped-data.ts'
import type { Postgres } from '../postgres/postgres.ts'
import type { Digest } from './row-digest.ts'

export interface MoveOptions {
  readonly postgres: Postgres
  /** Seals what is moved: the box of the cluster. */
  readonly box: SecretBox
  readonly data: StoppedData
  /** Most bytes of a message of the log. */
  readonly maxPayloadBytes: number
  /** Rejects where the log cannot take what is moved. */
  readonly checkLog: () => Promise<void>
  /** Called when all rows of a table are there, before they are compared. */
  readonly onMoved?: ((table: string) => void) | undefined
}

/** A table that was compared. */
export interface ComparedTable {
  readonly table: string
  readonly from: Digest
  readonly to: Digest
}

export interface MoveReport {
  readonly tables: readonly ComparedTable[]
  /** Events that the disk has changed: they stay in the file. */
  readonly damagedEvents: readonly string[]
  /** Events that wait for the pipeline, and that a purge which has begun is about to remove. */
  readonly coveredEvents: number
}
