import { beginMove, finishedReport } from './begin-move.ts'
import { compareRows } from './compare-rows.ts'
import { copyRows } from './copy-rows.ts'
import { finishMove } from './finish-move.ts'
import { MoveDiffers } from './move-faults.ts'
import type { MoveOptions, MoveReport } from './move-options.ts'
import { WaitingEvents } from './waiting-events.ts'

/**
 * Moves all data of a stopped service into an empty cluster, slice by slice. A move that is cut off goes on behind its last slice.
 * At the end it compares all that it has moved.
 *
 *     begin ─▶ archive ─▶ tables ─▶ what waits, into the outbox ─▶ compare ─▶ finish ─▶ nodes may start
 *
 * @throws {ClusterNotEmpty | ClusterInUse} and changes nothing
 * @throws {MoveDiffers} where something else has arrived
 */
export async function moveData(options: MoveOptions): Promise<MoveReport> {
  const { postgres, box, data } = options
  const finished = await finishedReport(postgres, data)
  if (finished !== undefined) return JSON.parse(finished) as MoveReport
  await options.checkLog()
  await beginMove(postgres, data)
  const waiting = new WaitingEvents(data, options.maxPayloadBytes)
  await copyRows(options, waiting)
  const report = await compareRows(options, waiting)
  refuseDifferences(report)
  await finishMove(postgres, data, { box, report: JSON.stringify(report) })
  return report
}

function refuseDifferences({ tables }: MoveReport): void {
  const different = tables
    .filter(({ from, to }) => from.digest !== to.digest || from.rows !== to.rows)
    .map(({ table, from, to }) => `${table} (${from.rows} rows, ${to.rows} in the cluster)`)
  if (different.length === 0) return
  throw new MoveDiffers(
    `What is in the cluster differs from what the folder has, in ${different.join('; ')}. Drop the schema \`hookline\` of the ` +
      'database, and begin again.',
  )
}
