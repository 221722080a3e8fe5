import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import type { Token } from '@hookline/cli/management-client'
import { allOf } from '../../../api/queries.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Confirm } from '../../../design/dialogs/confirm.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { toast } from '../../../design/dialogs/toasts.tsx'
import { confirmationText } from '../../../format/confirmation-text.ts'
import { shownText } from '../../../format/shown-text.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { AccessTable } from './access-table.tsx'
import { NewToken } from './new-token.tsx'

export function TokensTab(): ReactElement {
  const [{ new: isNew }, setUrl] = useUrlState<'new'>()
  const [removing, setRemoving] = useState<Token>()
  const begin = (): void => setUrl({ new: '1' }, { push: true })
  const query = useQuery({
    queryKey: ['tokens'],
    queryFn: () => allOf((page) => api.listTokens(page)),
  })
  return (
    <Panel title="Tokens" actions={<Button onClick={begin}>New token</Button>} isFlush>
      <p className="text-ink-soft text-dense px-4 pb-3">
        For signing in to the console and calling the management API. The admin token is not listed.
      </p>
      <Loaded query={query} lines={4}>
        {(tokens) =>
          tokens.length === 0 ? (
            <Empty title="No tokens yet" action={<Button onClick={begin}>Create token</Button>}>
              Create one for each person and program: the audit log records which token made a
              change.
            </Empty>
          ) : (
            <AccessTable items={tokens} noun="token" verb="Delete" onEnd={setRemoving} />
          )
        }
      </Loaded>
      {isNew !== undefined && <NewToken onClose={() => setUrl({ new: undefined })} />}
      {removing !== undefined && (
        <RemoveToken token={removing} onClose={() => setRemoving(undefined)} />
      )}
    </Panel>
  )
}

interface RemoveTokenProps {
  readonly token: Token
  readonly onClose: () => void
}

function RemoveToken({ token: { id, name }, onClose }: RemoveTokenProps): ReactElement {
  const client = useQueryClient()
  return (
    <Confirm
      title="Delete this token?"
      action="Delete token"
      mustType={confirmationText(name, id)}
      onClose={onClose}
      onConfirm={async () => {
        await api.removeToken(id)
        toast('Token deleted.')
        await client.invalidateQueries({ queryKey: ['tokens'] })
        await client.invalidateQueries({ queryKey: ['sessions'] })
      }}
    >
      <p>
        Requests with <strong className="break-words">{shownText(name, 80)}</strong> will be
        rejected, and its sessions will end. This cannot be undone.
      </p>
    </Confirm>
  )
}
