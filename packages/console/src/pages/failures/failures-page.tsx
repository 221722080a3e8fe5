import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

export function FailuresPage(): ReactElement {
  return <PageHeading title="Failures" />
}
