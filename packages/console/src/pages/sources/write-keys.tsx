import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Source } from '@hookline/cli/management-client'
import { problemOf } from '../../api/problem.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Confirm } from '../../design/windows/confirm.tsx'
import { Icon } from '../../design/icon.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { Time } from '../../design/texts/time.tsx'
import { toast } from '../../design/windows/toasts.tsx'
import { nameToType } from '../../format/name-to-type.ts'
import { shownText } from '../../format/shown-text.ts'

type WriteKey = Source['writeKeys'][number]

const TYPED_CHARACTERS = 6

/** The write keys of a source: they are public, so they are shown in full. */
export function WriteKeys({ source }: { readonly source: Source }): ReactElement {
  const [removing, setRemoving] = useState<WriteKey>()
  const mayEdit = useMay('editor')
  return (
    <section className="flex flex-col gap-2" aria-labelledby="write-keys">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 id="write-keys" className="font-semibold">
          Write keys
        </h3>
        {mayEdit && <AddKey sourceId={source.id} />}
      </div>
      {source.writeKeys.length === 0 && (
        <p className="text-failed">
          Without a write key, the source refuses all calls. Add one, and give it to your
          application.
        </p>
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
            {mayEdit && (
              <Button
                look="quiet"
                aria-label={`Remove the write key ${shownText(each.key)}`}
                onClick={() => setRemoving(each)}
              >
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      <p className="text-ink-faint text-note max-w-prose">
        A write key is not a secret: web pages that send events contain it. To change a key, add
        another one, give it to your applications, and remove the old one when nothing uses it.
      </p>
      {removing !== undefined && (
        <RemoveKey source={source} removed={removing} onClose={() => setRemoving(undefined)} />
      )}
    </section>
  )
}

function AddKey({ sourceId }: { readonly sourceId: string }): ReactElement {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const add = async (): Promise<void> => {
    setBusy(true)
    try {
      await api.addWriteKey(sourceId, {})
      await client.invalidateQueries({ queryKey: ['sources'] })
      toast('The source has another write key.')
    } catch (error) {
      toast(problemOf(error).message, 'failed')
    }
    setBusy(false)
  }
  return (
    <Button isBusy={isBusy} onClick={() => void add()}>
      <Icon name="plus" className="size-3.5" />
      Add a write key
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
  const end = key.slice(-TYPED_CHARACTERS)
  return (
    <Confirm
      title="Remove this write key?"
      action="Remove the write key"
      mustType={nameToType(end, 'remove')}
      onClose={onClose}
      onConfirm={async () => {
        await api.removeWriteKey(source.id, key)
        await client.invalidateQueries({ queryKey: ['sources'] })
        toast('The write key is removed.')
      }}
    >
      <code className="break-all">{shownText(key)}</code>
      <p>
        From now on, calls with this key are refused with 401 <code>unknown_write_key</code>. Client
        libraries do not send refused calls again: they are lost. The key cannot be brought back.
      </p>
      <p className={lastUsedAt === null ? undefined : 'text-failed'}>
        {lastUsedAt === null ? (
          'No call has used this key.'
        ) : (
          <>
            A call used it <Time at={lastUsedAt} />. Check that no application has it any longer.
          </>
        )}
      </p>
      {source.writeKeys.length === 1 && (
        <p className="text-failed">
          It is the last key of the source: the source then refuses all calls until you add another.
        </p>
      )}
      <p className="text-ink-soft">The last {TYPED_CHARACTERS} characters name the key.</p>
    </Confirm>
  )
}
