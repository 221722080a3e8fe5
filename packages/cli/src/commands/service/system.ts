import { systemText } from '../../output/system-text.ts'
import type { ApiCommand } from '../api-command.ts'

const HELP = `
\`hookline doctor\` also checks this machine. \`hookline config\` shows the
settings that the next start would use. Only admins see addresses and file
paths.`

export function addSystem(program: ApiCommand): void {
  program
    .api('system', 'show version, storage, backlog and settings')
    .option('--settings', 'show all settings, including defaults')
    .addHelpText('after', HELP)
    .run(async ({ api, output }, { settings = false }: { readonly settings?: boolean }) => {
      const system = await api.getSystem()
      output.data(system, () => systemText(output, system, { areAllShown: settings }))
    })
}
