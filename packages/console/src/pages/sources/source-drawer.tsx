import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import type { Source } from '@hookline/cli/management-client'
import { sourcesQuery } from '../../api/queries.ts'
import { useHasRole } from '../../api/session.ts'
import { FactList } from '../../design/lists/fact-list.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { Modal } from '../../design/dialogs/modal.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { TabList } from '../../design/controls/tab-list.tsx'
import { Time } from '../../design/texts/time.tsx'
import { SnippetTabs, VerifyTabs } from '../../domain/snippets/snippet-tabs.tsx'
import { countText } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { SourceCalls } from './source-calls.tsx'
import { SourceSettings } from './source-settings.tsx'
import { SourceState } from './source-table.tsx'
import { WriteKeys } from './write-keys.tsx'

interface SourceDrawerProps {
  readonly id: string
  readonly onClose: () => void
}

export function SourceDrawer({ id, onClose }: SourceDrawerProps): ReactElement {
  const query = useQuery(sourcesQuery)
  const source = query.data?.find((each) => each.id === id)
  return (
    <Modal title={shownText(source?.name ?? 'Source', 80)} place="drawer" isOpen onClose={onClose}>
      <Loaded query={query} lines={8}>
        {() =>
          source === undefined ? (
            <Empty title="Source not found">No source has the ID {shownText(id, 80)}.</Empty>
          ) : (
            <SourceDetail source={source} onClose={onClose} />
          )
        }
      </Loaded>
    </Modal>
  )
}

interface SourceDetailProps {
  readonly source: Source
  readonly onClose: () => void
}

function SourceDetail({ source, onClose }: SourceDetailProps): ReactElement {
  const [{ tab: named }, setUrl] = useUrlState<'tab'>()
  const canEdit = useHasRole('editor')
  const tabs: readonly (readonly [string, string])[] = [
    ['keys', 'Write keys'],
    ['calls', 'Calls'],
    ...(canEdit ? ([['settings', 'Settings']] as const) : []),
  ]
  const tab = tabs.some(([each]) => each === named) ? named! : 'keys'
  return (
    <div className="flex flex-col gap-4">
      <SourceFacts source={source} />
      <TabList
        label="Source"
        tabs={tabs}
        value={tab}
        onChange={(next) => setUrl({ tab: next === 'keys' ? undefined : next })}
      >
        {tab === 'keys' && <KeysAndCode source={source} />}
        {tab === 'calls' && <SourceCalls sourceId={source.id} />}
        {tab === 'settings' && <SourceSettings source={source} onDeleted={onClose} />}
      </TabList>
    </div>
  )
}

function SourceFacts({ source }: { readonly source: Source }): ReactElement {
  return (
    <FactList
      facts={[
        ['State', <SourceState key="state" source={source} />],
        ['ID', <IdText key="id" id={source.id} />],
        [
          'Rate limit',
          source.rateLimit === null ? 'none' : `${countText(source.rateLimit, 'call')} per second`,
        ],
        ['Space', <code key="space">{shownText(source.space)}</code>],
        ['Created', <Time key="created" at={source.createdAt} />],
      ]}
    />
  )
}

function KeysAndCode({ source }: { readonly source: Source }): ReactElement {
  const [first] = source.writeKeys
  return (
    <div className="flex flex-col gap-6">
      <WriteKeys source={source} />
      {first !== undefined && (
        <section aria-labelledby="first-call">
          <h3 id="first-call" className="mb-1 font-semibold">
            Send an event
          </h3>
          <SnippetTabs writeKey={first.key} />
        </section>
      )}
      <section aria-labelledby="verify">
        <h3 id="verify" className="mb-1 font-semibold">
          Verify deliveries in your receiver
        </h3>
        <VerifyTabs />
      </section>
    </div>
  )
}
