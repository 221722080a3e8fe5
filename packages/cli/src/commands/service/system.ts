import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { outputOf } from '../../output/output.ts'
import { systemText } from '../../output/system-text.ts'

const HELP = `
It asks the running service. \`hookline doctor\` also checks this machine, and
\`hookline config\` shows the settings of the next start. A token that is not of
an admin does not see where the service and its files are.`

/** `hookline system` */
export function addSystem(program: Command): void {
  withApiOptions(program.command('system'))
    .description('show the running service: version, checks, storage, backlog, settings')
    .option('--settings', 'show every setting, not only those that differ from the default')
    .addHelpText('after', HELP)
    .action(async ({ settings = false }: { readonly settings?: boolean }, command: Command) => {
      const system = await apiOf(command).getSystem()
      const output = outputOf(command)
      output.data(system, () => systemText(output, system, { areAllShown: settings }))
    })
}
