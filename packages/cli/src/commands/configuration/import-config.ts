import type { ManagementApi } from '../../api/management-api.ts'
import { jsonObjectIn } from '../../options/json-file.ts'
import { noteWarnings } from '../../output/warnings.ts'
import type { ApiCommand } from '../api-command.ts'

type ImportConfiguration = ManagementApi['importConfiguration']
type Diff = Awaited<ReturnType<ImportConfiguration>>

const HINT = 'Pass a file written by `hookline export`.'

export function addImportConfig(program: ApiCommand): void {
  program
    .api('import-config <file>', 'apply a configuration written by `hookline export`')
    .option('--dry-run', 'show the changes without applying them')
    .run(async (context, file: string, { dryRun }: { dryRun?: true }) => {
      // The service validates the document, and reports every error.
      const document = (await jsonObjectIn(file, HINT)) as unknown
      const diff = await context.api.importConfiguration(
        document as Parameters<ImportConfiguration>[0],
        dryRun ? { dryRun: 'true' } : {},
      )
      context.output.data(diff, () => diffText(diff))
      noteWarnings(context.output, diff.warnings)
    })
}

function diffText({ dryRun, created, changed, unchanged, notInDocument }: Diff): string {
  const verb = dryRun ? 'would be ' : ''
  return [
    ...created.map((id) => `+ ${id}`),
    ...changed.map(({ id, fields }) => `~ ${id}: ${fields.join(', ')}`),
    ...notInDocument.map((id) => `  ${id} is not in the document; it is kept`),
    `${created.length} ${verb}created, ${changed.length} ${verb}changed, ${unchanged.length} unchanged.`,
  ].join('\n')
}
