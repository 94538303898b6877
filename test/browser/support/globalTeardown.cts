import { stopEditorEnvironment } from './globalSetup.cts';

export default stopEditorEnvironment;
