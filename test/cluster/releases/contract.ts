// The release after next: its second step removes a table that the next release added.
import { addStep } from './add-step.ts'

addStep('ALTER TABLE deliveries ADD note text; CREATE TABLE added (id txt PRIMARY KEY)')
addStep('DROP TABLE added')
