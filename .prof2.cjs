require('n8n-workflow');
const {Session}=require('node:inspector/promises');
(async()=>{const s=new Session();s.connect();await s.post('Profiler.enable');await s.post('Profiler.setSamplingInterval',{interval:50});await s.post('Profiler.start');
const t=(l,f)=>{const a=process.cpuUsage();f();const d=process.cpuUsage(a);console.log(l,(d.user+d.system)/1000)};
let A,B;t('reqA',()=>A=require('./dist/nodes/EncryptedContainers/EncryptedContainers.node.js'));t('reqB',()=>B=require('./dist/nodes/EncryptedContainersTrigger/EncryptedContainersTrigger.node.js'));
t('newA',()=>new A.EncryptedContainers());t('newB',()=>new B.EncryptedContainersTrigger());
const {profile}=await s.post('Profiler.stop');

const lines={};for(const n of profile.nodes){for(const p of n.positionTicks||[]){const k=n.callFrame.url.split('/').slice(-1)+':'+p.line;lines[k]=(lines[k]||0)+p.ticks}}
const tot=profile.samples.length;console.log(tot);console.log(Object.entries(lines).sort((a,b)=>b[1]-a[1]).slice(0,25).map(([k,v])=>v+' '+k).join('\n'));})();