/**
 * S3: uploads a log file to the bucket, as a logger does.
 *
 *   GATEWAY_BUCKET=http://GATEWAY:9480 DEVICE_ID=truck-14 ACCESS_KEY=... SECRET_KEY=... node examples/bucket-upload.ts FILE NAME
 *
 * `docs/bucket.md` describes how to get the key pair of a device. The answer 200 means that the file is on disk.
 */
import { readFileSync } from 'node:fs';
import { HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

const { GATEWAY_BUCKET = 'http://localhost:9480', DEVICE_ID = '', ACCESS_KEY = '', SECRET_KEY = '' } = process.env;
const [file = '', name = '00000001/00000001.log'] = process.argv.slice(2);

const s3 = new S3Client({
  endpoint: GATEWAY_BUCKET,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
});
// A device may write only keys that begin with its `device_id`.
const object = { Bucket: 'headframe', Key: `${DEVICE_ID}/${name}` };
await s3.send(new PutObjectCommand({ ...object, Body: readFileSync(file) }));
const { ContentLength } = await s3.send(new HeadObjectCommand(object));
process.stdout.write(`stored ${object.Key}, ${ContentLength} bytes\n`);
