import type { MoveReport } from '@hookline/server'
import type { Command } from 'commander'
import { grouped } from '../../output/figures.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { table } from '../../output/table.ts'
import { configFrom, type SettingFlags, withServerOptions } from '../../service/server-options.ts'
import { startFailure } from '../../service/start-failure.ts'

/** `hookline migrate-data` */
export function addMigrateData(program: Command): void {
  withServerOptions(program.command('migrate-data'))
    .description(
      'move the data of a stopped service from --data-dir into an empty cluster; run it again if it is cut off',
    )
    .action(async (flags: SettingFlags, command: Command) => {
      const config = await configFrom(flags)
      const output = outputOf(command)
      const { migrateData } = await import('@hookline/server')
      const onUnreadable = ({
        table: name,
        key,
      }: {
        readonly table: string
        readonly key: number
      }) =>
        output.note(
          `Row ${key} of the table ${name} is damaged. Its secret cannot be opened in the cluster either.`,
        )
      const onMoved = (name: string): void => output.note(`Moved ${name}.`)
      const report = await migrateData(config, { onMoved, onUnreadable }).catch(
        (error: unknown) => {
          throw startFailure(error, config) ?? error
        },
      )
      output.data(report, () => reportText(output, report))
      for (const note of notesOf(report)) output.note(note)
    })
}

/** Tables that have rows, with what was compared. */
function reportText(output: Output, { tables }: MoveReport): string {
  const moved = tables.filter(({ from }) => from.rows > 0)
  if (moved.length === 0) return 'The data folder had nothing to move.'
  const columns = [
    { head: 'table', cell: (each: MoveReport['tables'][number]) => each.table },
    { head: 'rows', cell: (each: MoveReport['tables'][number]) => grouped(each.from.rows) },
    { head: 'in the cluster', cell: (each: MoveReport['tables'][number]) => grouped(each.to.rows) },
    { head: 'digest of both', cell: (each: MoveReport['tables'][number]) => each.to.digest },
  ]
  return table(output, columns, moved)
}

function notesOf({ tables, damagedEvents, coveredEvents }: MoveReport): string[] {
  const waiting = tables.find(({ table: name }) => name === 'outbox')?.from.rows ?? 0
  return [
    ...(damagedEvents.length === 0
      ? []
      : [`These events are damaged, and stay in the file: ${damagedEvents.join(', ')}.`]),
    ...(coveredEvents === 0
      ? []
      : [`${grouped(coveredEvents)} events are about to be deleted, and are not delivered.`]),
    `All is moved, and is the same on both sides. ${grouped(waiting)} events wait for the first node.`,
    'Start the nodes now. Do not start a service on this data folder again: it would deliver once more what waits.',
  ]
}
