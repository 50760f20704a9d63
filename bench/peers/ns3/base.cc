// The scenarios in ns-3 (works with 3.37 and 3.48): A last hop, B chain, C one cell, D a lossy wire, E dumbbell.
#include "ns3/aodv-module.h"
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"
#include <sys/resource.h>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
using namespace ns3;

static double CpuUser() { rusage r; getrusage(RUSAGE_SELF, &r); return r.ru_utime.tv_sec + r.ru_utime.tv_usec * 1e-6; }
static long PeakKb() { rusage r; getrusage(RUSAGE_SELF, &r); return r.ru_maxrss; }

// ---- frame error model on 802.11 DATA frames only -------------------------------------------
static uint64_t g_errData = 0, g_seenData = 0, g_seenSmall = 0, g_errSmall = 0;
class WifiFer : public ErrorModel
{
  public:
    static TypeId GetTypeId() { static TypeId t = TypeId("WifiFer").SetParent<ErrorModel>().AddConstructor<WifiFer>(); return t; }
    double fer = 0; bool ber = false; uint32_t big = 500; double lref = 1088;
    Ptr<UniformRandomVariable> rv = CreateObject<UniformRandomVariable>();
  private:
    bool DoCorrupt(Ptr<Packet> p) override
    {
#ifdef NEWWIFI                                  // >= 3.44: the model is handed the MSDU without MAC header/FCS
        if (p->GetSize() < 50) return false;    // MAC ACKs (0 B), beacons and association bodies
        uint32_t L = p->GetSize() + 28;
#else                                           // 3.37: the whole PSDU
        WifiMacHeader h; p->PeekHeader(h);
        if (!h.IsData()) return false;          // MAC ACKs, beacons, management: error free
        uint32_t L = p->GetSize();              // MPDU: MAC header + LLC + IP + FCS
#endif
        bool isBig = L > big;
        (isBig ? g_seenData : g_seenSmall)++;
        double pr = ber ? 1 - std::pow(1 - fer, L / lref) : (isBig ? fer : 0.0);
        bool bad = rv->GetValue() < pr;
        if (bad) (isBig ? g_errData : g_errSmall)++;
        return bad;
    }
    void DoReset() override {}
};

static std::string scheme = "newreno", mac = "infra", errmode = "data", routing = "static", csvtag = "";
static uint32_t mss = 1000, retry = 7, delack = 1, nsta = 1, hops = 1, flows = 100, rwnd = 0, wnd = 0, initcwnd = 10, count = 0, modes = 0;
static uint32_t queue = 50, data = 11, control = 11; // packets; Mbit/s
static double fer = 0, dlyMs = 10, simT = 200, loss = 0, minrto = 1.0, tick = 0.001, udpRate = 0, rate = 1000, spread = 0.1; static bool ts = true, sack = true;
static std::map<std::string, uint64_t> g_modes;
static uint64_t g_phyTx = 0;

static void SniffTx(Ptr<const Packet> p, uint16_t, WifiTxVector tx, MpduInfo, uint16_t)
{
    WifiMacHeader h; Ptr<Packet> c = p->Copy(); c->PeekHeader(h);
    std::string k = std::string(h.GetTypeString()) + " " + tx.GetMode().GetUniqueName() + " preamble=" + std::to_string((int)tx.GetPreambleType()) + " size=" + std::to_string(p->GetSize());
    g_modes[k]++;
}
static void TxEnd(Ptr<const Packet>) { g_phyTx++; }
static uint64_t g_drop = 0, g_macTxDrop = 0;
static void QDrop(Ptr<const Packet>) { g_drop++; }

static void TcpDefaults()
{
    std::map<std::string, std::string> m = {{"newreno", "ns3::TcpNewReno"}, {"linuxreno", "ns3::TcpLinuxReno"}, {"veno", "ns3::TcpVeno"},
        {"vegas", "ns3::TcpVegas"}, {"cubic", "ns3::TcpCubic"}, {"bbr", "ns3::TcpBbr"}, {"westwood+", "ns3::TcpWestwoodPlus"}};
    TypeId tid;
    if (scheme == "westwood+") {
        if (!TypeId::LookupByNameFailSafe("ns3::TcpWestwoodPlus", &tid)) {
            Config::SetDefault("ns3::TcpWestwood::ProtocolType", StringValue("WestwoodPlus"));
            tid = TypeId::LookupByName("ns3::TcpWestwood");
        }
    } else tid = TypeId::LookupByName(m.at(scheme));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(tid));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(mss));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(delack));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(initcwnd));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(wnd ? wnd * mss : 1 << 23));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(rwnd ? rwnd * mss : 1 << 23));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(minrto)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(Seconds(tick)));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(ts));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(sack));
}
static std::string Packets(uint32_t n) { return std::to_string(n) + "p"; }
static WifiMode Mode(std::string kind, uint32_t mbps) { return WifiMode(kind + "Rate" + std::to_string(mbps) + "Mbps"); }
static void WifiDefaults(uint32_t r, std::string q)
{
    TypeId::AttributeInformation ai;
    if (TypeId::LookupByName("ns3::WifiMac").LookupAttributeByName("FrameRetryLimit", &ai))
        Config::SetDefault("ns3::WifiMac::FrameRetryLimit", UintegerValue(r));          // >= 3.43; touching MaxSsrc there aborts
    else {
        Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(r)); // 3.37
        Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(r));
    }
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue(q));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));
    Config::SetDefault("ns3::ArpCache::AliveTimeout", TimeValue(Seconds(100000)));
}
static Ptr<PacketSink> Sink(Ptr<Node> n, std::string f, uint16_t port)
{
    PacketSinkHelper s(f, InetSocketAddress(Ipv4Address::GetAny(), port));
    auto a = s.Install(n); a.Start(Seconds(0)); return DynamicCast<PacketSink>(a.Get(0));
}
static void Bulk(Ptr<Node> n, Ipv4Address dst, uint16_t port, double start)
{
    BulkSendHelper b("ns3::TcpSocketFactory", InetSocketAddress(dst, port));
    b.SetAttribute("MaxBytes", UintegerValue(0)); b.SetAttribute("SendSize", UintegerValue(mss));
    b.Install(n).Start(Seconds(start));
}
static void Fixed(NodeContainer c, double dx)
{
    MobilityHelper m; auto l = CreateObject<ListPositionAllocator>();
    for (uint32_t i = 0; i < c.GetN(); i++) l->Add(Vector(i * dx, 0, 1.5));
    m.SetPositionAllocator(l); m.SetMobilityModel("ns3::ConstantPositionMobilityModel"); m.Install(c);
}
static void StopBeacons(Ptr<WifiMac> m) { m->SetAttribute("BeaconGeneration", BooleanValue(false)); }

// 802.11b BSS: ap + stas, fixed -40 dBm everywhere
static NetDeviceContainer Bss(Ptr<Node> ap, NodeContainer stas)
{
    YansWifiChannelHelper ch; ch.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    ch.AddPropagationLoss("ns3::FixedRssLossModel", "Rss", DoubleValue(-40));
    YansWifiPhyHelper phy; phy.SetChannel(ch.Create());
    WifiHelper w; w.SetStandard(WIFI_STANDARD_80211b);
    w.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", WifiModeValue(Mode("Dsss", data)), "ControlMode", WifiModeValue(Mode("Dsss", control)));
    WifiMacHelper mh; NetDeviceContainer d; Ssid ssid("x");
    if (mac == "infra") {
        Config::SetDefault("ns3::StaWifiMac::MaxMissedBeacons", UintegerValue(1000000000));
        mh.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid)); d.Add(w.Install(phy, mh, ap));
        mh.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid)); d.Add(w.Install(phy, mh, stas));
        Simulator::Schedule(Seconds(0.9), &StopBeacons, DynamicCast<WifiNetDevice>(d.Get(0))->GetMac());
    } else { mh.SetType("ns3::AdhocWifiMac"); d.Add(w.Install(phy, mh, ap)); d.Add(w.Install(phy, mh, stas)); }
    for (uint32_t i = 0; i < d.GetN(); i++) {
        auto wd = DynamicCast<WifiNetDevice>(d.Get(i));
        wd->GetRemoteStationManager()->AddBasicMode(Mode("Dsss", control));
        auto em = CreateObject<WifiFer>(); em->fer = fer; em->ber = errmode == "ber"; em->lref = mss + (ts ? 12 : 0) + 40 + 36; em->rv->SetStream(7000 + i);
        if (fer > 0) wd->GetPhy()->SetPostReceptionErrorModel(em);
        if (modes) wd->GetPhy()->TraceConnectWithoutContext("MonitorSnifferTx", MakeCallback(&SniffTx));
        if (count) wd->GetPhy()->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&TxEnd));
    }
    Fixed(NodeContainer(ap, stas), 1);
    return d;
}
static void Uninst(NetDeviceContainer d) { TrafficControlHelper t; t.Uninstall(d); }
static uint64_t g_wifiTxDrop = 0, g_qdrop = 0;
static double t0cpu;
static void Report(std::string scn, double goodput, uint64_t segs, double setup, double run)
{
    uint64_t ev = Simulator::GetEventCount();
    printf("RES scn=%s scheme=%s mss=%u fer=%g retry=%u d=%g err=%s mac=%s delack=%u hops=%u nsta=%u loss=%g flows=%u minrto=%g ts=%d sack=%d rwnd=%u T=%g seed=%u goodput=%.6f segs=%lu cpu_setup=%.3f cpu_run=%.3f rss_kb=%ld events=%lu ev_per_cpu=%.0f segs_per_cpu=%.0f phytx=%lu errdata=%lu seendata=%lu tag=%s\n",
           scn.c_str(), scheme.c_str(), mss, fer, retry, dlyMs, errmode.c_str(), mac.c_str(), delack, hops, nsta, loss, flows, minrto, ts, sack, rwnd, simT, (unsigned)RngSeedManager::GetRun(),
           goodput, segs, setup, run, PeakKb(), ev, ev / std::max(run, 1e-9), segs / std::max(run, 1e-9), g_phyTx, g_errData, g_seenData, csvtag.c_str());
    if (modes) for (auto& k : g_modes) printf("MODE %s n=%lu\n", k.first.c_str(), k.second);
}

static void RunA()
{
    TcpDefaults(); WifiDefaults(retry, Packets(queue));
    NodeContainer n; n.Create(5); // S R1 R2 AP STA
    PointToPointHelper p; p.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    p.SetChannelAttribute("Delay", TimeValue(MicroSeconds((int64_t)std::llround(dlyMs * 1000))));
    p.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(Packets(queue)));
    std::vector<NetDeviceContainer> ds;
    for (int i = 0; i < 3; i++) ds.push_back(p.Install(n.Get(i), n.Get(i + 1)));
    ds.push_back(Bss(n.Get(3), NodeContainer(n.Get(4))));
    InternetStackHelper st; st.Install(n);
    Ipv4AddressHelper a; Ipv4InterfaceContainer last;
    for (size_t i = 0; i < ds.size(); i++) {
        a.SetBase(("10.0." + std::to_string(i) + ".0").c_str(), "255.255.255.0"); last = a.Assign(ds[i]); Uninst(ds[i]);
        if (count && i < 3) for (int k = 0; k < 2; k++) ds[i].Get(k)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&TxEnd));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    NeighborCacheHelper nc; nc.PopulateNeighborCache();
    auto sk = Sink(n.Get(4), "ns3::TcpSocketFactory", 5000);
    Bulk(n.Get(0), last.GetAddress(1), 5000, 1.0);
    double c0 = CpuUser(); Simulator::Stop(Seconds(1 + simT)); Simulator::Run(); double c1 = CpuUser();
    Report("A", sk->GetTotalRx() * 8.0 / simT / 1e6, sk->GetTotalRx() / mss, c0 - t0cpu, c1 - c0);
}

static void RunB()
{
    TcpDefaults(); WifiDefaults(retry, Packets(queue));
    NodeContainer n; n.Create(hops + 1); Fixed(n, 30);
    // Friis @2.412 GHz, tx 16.0206 dBm; thresholds put at 40 m (decode) and 85 m (sense + ignore beyond)
    const double lam = 299792458.0 / 2.412e9, tx = 16.0206;
    auto rss = [&](double d) { return tx - 20 * std::log10(4 * M_PI * d / lam); };
    double r40 = rss(40.0), r85 = rss(85.0);
    YansWifiChannelHelper ch; ch.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    ch.AddPropagationLoss("ns3::FriisPropagationLossModel", "Frequency", DoubleValue(2.412e9));
    YansWifiPhyHelper phy; phy.SetChannel(ch.Create());
    phy.Set("TxPowerStart", DoubleValue(tx)); phy.Set("TxPowerEnd", DoubleValue(tx));
    phy.Set("RxSensitivity", DoubleValue(r85)); phy.Set("CcaEdThreshold", DoubleValue(r85)); phy.Set("CcaSensitivity", DoubleValue(r85));
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel", "MinimumRssi", DoubleValue(r40), "Threshold", DoubleValue(4));
    WifiHelper w; w.SetStandard(WIFI_STANDARD_80211g);
    w.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", WifiModeValue(Mode("ErpOfdm", data)), "ControlMode", WifiModeValue(Mode("ErpOfdm", control)), "NonUnicastMode", WifiModeValue(Mode("ErpOfdm", control))); // an ACK has the fastest basic rate: 6, 12 or 24 Mbit/s
    WifiMacHelper mh; mh.SetType("ns3::AdhocWifiMac");
    NetDeviceContainer d = w.Install(phy, mh, n);
    for (uint32_t i = 0; i < d.GetN(); i++) {
        auto wd = DynamicCast<WifiNetDevice>(d.Get(i));
        wd->GetPhy()->SetAttribute("Slot", TimeValue(MicroSeconds(9)));
        PointerValue t; wd->GetMac()->GetAttribute("Txop", t); auto tx = t.Get<Txop>(); tx->SetMinCw(31); tx->SetMaxCw(1023);
        if (modes) wd->GetPhy()->TraceConnectWithoutContext("MonitorSnifferTx", MakeCallback(&SniffTx));
        if (count) wd->GetPhy()->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&TxEnd));
    }
    InternetStackHelper st; Ipv4StaticRoutingHelper sr; AodvHelper aodv;
    aodv.Set("EnableHello", BooleanValue(false)); // a broken link is told by the MAC
    if (routing == "aodv") st.SetRoutingHelper(aodv); else st.SetRoutingHelper(sr);
    st.Install(n);
    Ipv4AddressHelper a; a.SetBase("10.1.0.0", "255.255.255.0"); auto ifs = a.Assign(d); Uninst(d);
    for (uint32_t i = 0; routing == "static" && i <= hops; i++) {
        auto r = sr.GetStaticRouting(n.Get(i)->GetObject<Ipv4>());
        // the on-link /24 route would send directly; host routes are longer matches
        for (uint32_t j = 0; j <= hops; j++) if (j != i)
            r->AddHostRouteTo(ifs.GetAddress(j), ifs.GetAddress(j > i ? i + 1 : i - 1), 1);
    }
    NeighborCacheHelper nc; nc.PopulateNeighborCache();
    auto sk = Sink(n.Get(hops), "ns3::TcpSocketFactory", 5000);
    Bulk(n.Get(0), ifs.GetAddress(hops), 5000, 1.0);
    double c0 = CpuUser(); Simulator::Stop(Seconds(1 + simT)); Simulator::Run(); double c1 = CpuUser();
    Report("B", sk->GetTotalRx() * 8.0 / simT / 1e6, sk->GetTotalRx() / mss, c0 - t0cpu, c1 - c0);
    if (modes) { auto wd = DynamicCast<WifiNetDevice>(d.Get(0)); std::cout << "slot " << wd->GetPhy()->GetSlot() << " sifs " << wd->GetPhy()->GetSifs() << " r40 " << r40 << " r85 " << r85 << "\n"; }
}

static void RunC()
{
    WifiDefaults(retry, "50p");
    Ptr<Node> ap = CreateObject<Node>(); NodeContainer s; s.Create(nsta);
    NetDeviceContainer d = Bss(ap, s);
    InternetStackHelper st; st.Install(ap); st.Install(s);
    Ipv4AddressHelper a; a.SetBase("10.0.0.0", "255.255.255.0"); auto ifs = a.Assign(d); Uninst(d);
    NeighborCacheHelper nc; nc.PopulateNeighborCache();
    auto sk = Sink(ap, "ns3::UdpSocketFactory", 9);
    auto u = CreateObject<UniformRandomVariable>();
    double rate = udpRate > 0 ? udpRate : std::max(10.0 / nsta * (nsta > 1 ? 2 : 1), 0.6);
    for (uint32_t i = 0; i < nsta; i++) {
        OnOffHelper o("ns3::UdpSocketFactory", InetSocketAddress(ifs.GetAddress(0), 9));
        o.SetConstantRate(DataRate((uint64_t)(rate * 1e6)), mss); auto x = o.Install(s.Get(i)); x.Start(Seconds(1 + u->GetValue(0, 0.02)));
    }
    static uint64_t b0 = 0; double warm = 3;
    Simulator::Schedule(Seconds(warm), +[](Ptr<PacketSink> k) { b0 = k->GetTotalRx(); }, sk);
    double c0 = CpuUser(); Simulator::Stop(Seconds(warm + simT)); Simulator::Run(); double c1 = CpuUser();
    if (modes) { auto wd = DynamicCast<WifiNetDevice>(d.Get(1)); PointerValue t; wd->GetMac()->GetAttribute("Txop", t); auto tx = t.Get<Txop>();
        std::cout << "slot " << wd->GetPhy()->GetSlot() << " sifs " << wd->GetPhy()->GetSifs() << " cw " << tx->GetMinCw() << " " << tx->GetMaxCw() << " aifsn " << (int)tx->GetAifsn() << "\n"; }
    Report("C", (sk->GetTotalRx() - b0) * 8.0 / simT / 1e6, (sk->GetTotalRx() - b0) / mss, c0 - t0cpu, c1 - c0);
}

static void RunD()
{
    TcpDefaults();
    NodeContainer n; n.Create(2);
    PointToPointHelper p; p.SetDeviceAttribute("DataRate", StringValue("10Mbps")); p.SetChannelAttribute("Delay", StringValue("30ms"));
    p.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("50p"));
    auto d = p.Install(n);
    auto em = CreateObject<RateErrorModel>(); em->SetUnit(RateErrorModel::ERROR_UNIT_PACKET); em->SetRate(loss);
    auto rv = CreateObject<UniformRandomVariable>(); rv->SetStream(7000); em->SetRandomVariable(rv);
    d.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(em)); // data direction only
    InternetStackHelper st; st.Install(n); Ipv4AddressHelper a; a.SetBase("10.0.0.0", "255.255.255.0"); auto ifs = a.Assign(d); Uninst(d);
    if (count) for (int k = 0; k < 2; k++) d.Get(k)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&TxEnd));
    auto sk = Sink(n.Get(1), "ns3::TcpSocketFactory", 5000); Bulk(n.Get(0), ifs.GetAddress(1), 5000, 1.0);
    double c0 = CpuUser(); Simulator::Stop(Seconds(1 + simT)); Simulator::Run(); double c1 = CpuUser();
    Report("D", sk->GetTotalRx() * 8.0 / simT / 1e6, sk->GetTotalRx() / mss, c0 - t0cpu, c1 - c0);
}

static void RunE()
{
    TcpDefaults();
    NodeContainer L, R, rt; L.Create(flows); R.Create(flows); rt.Create(2);
    PointToPointHelper acc, bot;
    acc.SetDeviceAttribute("DataRate", StringValue("1Gbps")); acc.SetChannelAttribute("Delay", StringValue("1ms")); acc.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(Packets(queue)));
    bot.SetDeviceAttribute("DataRate", DataRateValue(DataRate((uint64_t)(rate * 1e6)))); bot.SetChannelAttribute("Delay", TimeValue(MilliSeconds((int64_t)dlyMs))); bot.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(Packets(queue)));
    InternetStackHelper st; st.Install(L); st.Install(R); st.Install(rt);
    Ipv4AddressHelper a; a.SetBase("10.1.0.0", "255.255.255.0");
    NetDeviceContainer all; std::vector<Ipv4Address> dst;
    auto add = [&](NetDeviceContainer d) { auto i = a.Assign(d); a.NewNetwork(); Uninst(d); all.Add(d); return i; };
    add(bot.Install(rt));
    for (uint32_t i = 0; i < flows; i++) add(acc.Install(L.Get(i), rt.Get(0)));
    for (uint32_t i = 0; i < flows; i++) dst.push_back(add(acc.Install(rt.Get(1), R.Get(i))).GetAddress(1));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    if (count) for (uint32_t k = 0; k < all.GetN(); k++) all.Get(k)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&TxEnd));
    std::vector<Ptr<PacketSink>> sk; auto u = CreateObject<UniformRandomVariable>();
    for (uint32_t i = 0; i < flows; i++) { sk.push_back(Sink(R.Get(i), "ns3::TcpSocketFactory", 5000)); Bulk(L.Get(i), dst[i], 5000, u->GetValue(0, spread)); }
    double c0 = CpuUser(); Simulator::Stop(Seconds(simT)); Simulator::Run(); double c1 = CpuUser();
    uint64_t tot = 0; for (auto& s : sk) tot += s->GetTotalRx();
    Report("E", tot * 8.0 / simT / 1e6, tot / mss, c0 - t0cpu, c1 - c0);
}

int main(int argc, char** argv)
{
    t0cpu = CpuUser();
    std::string scn = "A"; uint32_t seed = 1; CommandLine c;
    c.AddValue("scn", "", scn); c.AddValue("scheme", "", scheme); c.AddValue("mss", "", mss); c.AddValue("fer", "", fer); c.AddValue("retry", "", retry);
    c.AddValue("d", "", dlyMs); c.AddValue("T", "", simT); c.AddValue("seed", "", seed); c.AddValue("err", "", errmode); c.AddValue("mac", "", mac);
    c.AddValue("delack", "", delack); c.AddValue("hops", "", hops); c.AddValue("nsta", "", nsta); c.AddValue("loss", "", loss); c.AddValue("flows", "", flows);
    c.AddValue("minrto", "", minrto); c.AddValue("ts", "", ts); c.AddValue("sack", "", sack); c.AddValue("rwnd", "", rwnd); c.AddValue("initcwnd", "", initcwnd);
    c.AddValue("modes", "", modes); c.AddValue("count", "", count); c.AddValue("tag", "", csvtag); c.AddValue("udprate", "", udpRate);
    c.AddValue("queue", "", queue); c.AddValue("data", "", data); c.AddValue("control", "", control); c.AddValue("tick", "", tick);
    c.AddValue("wnd", "segments in flight at most, by the send buffer", wnd); c.AddValue("routing", "", routing); c.AddValue("rate", "", rate); c.AddValue("spread", "", spread);
    c.Parse(argc, argv);
    RngSeedManager::SetSeed(1); RngSeedManager::SetRun(seed);
    if (scn == "A") RunA(); else if (scn == "B") RunB(); else if (scn == "C") RunC(); else if (scn == "D") RunD(); else RunE();
    Simulator::Destroy();
    return 0;
}
