import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Source } from '@hookline/cli/management-client'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Confirm } from '../../design/dialogs/confirm.tsx'
import { Icon } from '../../design/icon.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { Time } from '../../design/texts/time.tsx'
import { toast } from '../../design/dialogs/toasts.tsx'
import { useAction } from '../../domain/use-action.ts'
import { confirmationText } from '../../format/confirmation-text.ts'
import { shownText } from '../../format/shown-text.ts'

type WriteKey = Source['writeKeys'][number]

const TYPED_LENGTH = 6

/** Shown in full: write keys are public. */
export function WriteKeys({ source }: { readonly source: Source }): ReactElement {
  const [removing, setRemoving] = useState<WriteKey>()
  const canEdit = useHasRole('editor')
  return (
    <section className="flex flex-col gap-2" aria-labelledby="write-keys">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 id="write-keys" className="font-semibold">
          Write keys
        </h3>
        {canEdit && <AddKey sourceId={source.id} />}
      </div>
      {source.writeKeys.length === 0 && (
        <p className="text-failed">The source rejects all calls until you add a write key.</p>
      )}
      <ul className="divide-line border-line rounded-small divide-y border empty:hidden">
        {source.writeKeys.map((each) => (
          <li key={each.key} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
            <div className="min-w-0 flex-1 basis-64">
              <IdText id={each.key} what="the write key" />
              <p className="text-ink-faint text-note">
                Created <Time at={each.createdAt} />,{' '}
                {each.lastUsedAt === null ? (
                  'never used'
                ) : (
                  <>
                    last used <Time at={each.lastUsedAt} />
                  </>
                )}
              </p>
            </div>
            {canEdit && (
              <Button
                variant="quiet"
                aria-label={`Delete write key ${shownText(each.key)}`}
                onClick={() => setRemoving(each)}
              >
                Delete
              </Button>
            )}
          </li>
        ))}
      </ul>
      <p className="text-ink-faint text-note max-w-prose">
        Write keys are not secret: websites that send events contain them. To rotate a key, add a
        new one, update your applications, then delete the old one.
      </p>
      {removing !== undefined && (
        <RemoveKey source={source} removed={removing} onClose={() => setRemoving(undefined)} />
      )}
    </section>
  )
}

function AddKey({ sourceId }: { readonly sourceId: string }): ReactElement {
  const { isBusy, run } = useAction(() => api.addWriteKey(sourceId, {}), 'Write key added.', [
    'sources',
  ])
  return (
    <Button isBusy={isBusy} onClick={run}>
      <Icon name="plus" className="size-3.5" />
      Add write key
    </Button>
  )
}

interface RemoveKeyProps {
  readonly source: Source
  readonly removed: WriteKey
  readonly onClose: () => void
}

function RemoveKey({ source, removed, onClose }: RemoveKeyProps): ReactElement {
  const client = useQueryClient()
  const { key, lastUsedAt } = removed
  return (
    <Confirm
      title="Delete this write key?"
      action="Delete write key"
      mustType={confirmationText(key.slice(-TYPED_LENGTH), 'delete')}
      onClose={onClose}
      onConfirm={async () => {
        await api.removeWriteKey(source.id, key)
        await client.invalidateQueries({ queryKey: ['sources'] })
        toast('Write key deleted.')
      }}
    >
      <code className="break-all">{shownText(key)}</code>
      <p>
        Calls with this key will be rejected with 401 <code>unknown_write_key</code>. Most client
        libraries do not retry rejected calls, so those calls will be lost. This cannot be undone.
      </p>
      <p className={lastUsedAt === null ? undefined : 'text-failed'}>
        {lastUsedAt === null ? (
          'This key has never been used.'
        ) : (
          <>
            Last used <Time at={lastUsedAt} />. Check that no application still uses it.
          </>
        )}
      </p>
      {source.writeKeys.length === 1 && (
        <p className="text-failed">
          This is the source’s only key. Without it, the source rejects all calls.
        </p>
      )}
    </Confirm>
  )
}
