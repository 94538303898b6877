import { stopServers } from './globalSetup.mts';

export default stopServers;
