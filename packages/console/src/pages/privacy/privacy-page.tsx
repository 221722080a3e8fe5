import type { ReactElement } from 'react'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Panel } from '../../design/panel.tsx'
import { TabList } from '../../design/controls/tab-list.tsx'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { DeletionDrawer } from './deletion-drawer.tsx'
import { DeletionList } from './deletion-list.tsx'
import { NewDeletion } from './new-deletion.tsx'
import { SuppressionList } from './suppression-list.tsx'

const TABS = [
  ['deletions', 'Deletions'],
  ['suppressions', 'Suppressions'],
] as const

export function PrivacyPage(): ReactElement {
  const [{ tab: selected, deletion, userId, new: isNew }, setUrl] = useUrlState<
    'tab' | 'deletion' | 'userId' | 'new'
  >()
  const canDelete = useHasRole('admin')
  const tab = selected === 'suppressions' ? selected : 'deletions'
  const openForm = (): void => setUrl({ new: '1' }, { push: true })
  return (
    <>
      <PageHeading
        title="Privacy"
        about="Delete users’ data, and notify enabled destinations."
        actions={
          canDelete && (
            <Button variant="primary" onClick={openForm}>
              Delete users…
            </Button>
          )
        }
      />
      <TabList
        label="Privacy"
        tabs={TABS}
        value={tab}
        onChange={(next) => setUrl({ tab: next === 'deletions' ? undefined : next })}
      >
        <Panel isFlush>
          <h2 className="sr-only">{tab === 'deletions' ? 'All deletions' : 'All suppressions'}</h2>
          {tab === 'deletions' ? <DeletionList onNew={openForm} /> : <SuppressionList />}
        </Panel>
      </TabList>
      {deletion !== undefined && (
        <DeletionDrawer id={deletion} onClose={() => setUrl({ deletion: undefined })} />
      )}
      {canDelete && (isNew !== undefined || userId !== undefined) && (
        <NewDeletion
          userId={userId}
          onStarted={(id) =>
            setUrl({ new: undefined, userId: undefined, tab: undefined, deletion: id })
          }
          onClose={() => setUrl({ new: undefined, userId: undefined })}
        />
      )}
    </>
  )
}
