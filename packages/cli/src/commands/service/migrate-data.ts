import type { MoveReport } from '@hookline/server'
import type { Command } from 'commander'
import { countText, formatCount } from '../../output/figures.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { table } from '../../output/table.ts'
import { configFrom, type SettingFlags, withServerOptions } from '../../service/server-options.ts'
import { startFailure } from '../../service/start-failure.ts'

type MovedTable = MoveReport['tables'][number]

export function addMigrateData(program: Command): void {
  withServerOptions(program.command('migrate-data'))
    .description('move the data of a stopped service into a cluster')
    .action(async (flags: SettingFlags, command: Command) => {
      const config = await configFrom(flags)
      const output = outputOf(command)
      const { migrateData } = await import('@hookline/server')
      const onUnreadable = ({ table: name, key }: { table: string; key: number }) =>
        output.note(`Row ${key} of table ${name} is corrupted: its secret cannot be decrypted.`)
      const onMoved = (name: string): void => output.note(`Moved ${name}.`)
      const onSkipped = (name: string, id: string): void => {
        if (name === 'events') output.note(`Event ${id} is corrupted and was not moved.`)
      }
      const report = await migrateData(config, { onMoved, onSkipped, onUnreadable }).catch(
        (error: unknown) => {
          throw startFailure(error, config) ?? error
        },
      )
      output.data(report, () => reportText(output, report))
      for (const note of notesOf(report)) output.note(note)
    })
}

function reportText(output: Output, { tables }: MoveReport): string {
  const moved = tables.filter(({ rows }) => rows > 0)
  if (moved.length === 0) return 'The data folder is empty.'
  const columns = [
    { head: 'table', cell: (each: MovedTable) => each.table },
    { head: 'rows', cell: (each: MovedTable) => formatCount(each.rows) },
  ]
  return table(output, columns, moved)
}

function notesOf({ tables }: MoveReport): string[] {
  const unfinished = tables.find(({ table: name }) => name === 'outbox')
  const { rows = 0, skipped = 0 } = unfinished ?? {}
  return [
    ...(skipped === 0
      ? []
      : [
          `${countText(skipped, 'unfinished event is', 'unfinished events are')} corrupted or scheduled for deletion, and will not be delivered.`,
        ]),
    `The move is complete. The first node will process ${countText(rows, 'unfinished event')}.`,
    'Start the nodes now. Do not start a service on this data folder again: it would deliver pending events again.',
  ]
}
